-- Releases leases after a delay. Until then they belong to a placeholder owner that no process uses.
--
-- ARGV: owner; delay.
-- Answer: 1 if it held all of the resources until now, else 0.

#include resource.lua

local owner, delay = ARGV[1], tonumber(ARGV[2])
local former, till = owner .. '!', now + delay * 1000
local resources, failure = readAll()
if not resources then
	return reject(failure)
end

local function replaceByPlaceholder(r)
	if r.mode == 'x' and r.holder == owner then
		r.holder, r.till, r.recallable = former, till, false
		return true
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	if held then
		redis.call('HDEL', r.key, owner)
		held.till = till
		hold(r, former, held)
		r.till = math.min(r.till, till)
		return true
	end
	return false
end

allowWrites()
local held = 1
for _, r in ipairs(resources) do
	expire(r)
	if replaceByPlaceholder(r) then
		hint(r) -- the time until the release has changed
	else
		held = 0
		leave(r, owner)
		advance(r)
	end
	write(r)
end
return held
