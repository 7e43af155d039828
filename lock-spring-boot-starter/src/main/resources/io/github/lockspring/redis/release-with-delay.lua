-- Releases leases after a delay. Until then they belong to a placeholder owner that no process uses.
--
-- ARGV: owner; delay.
-- Answer: 1 if it held all of the resources until now, else 0.

#include resource.lua

local owner, delay = ARGV[1], tonumber(ARGV[2])
local former, till = owner .. '!', now + delay * 1000
local resources, failure = readAll()
if not resources then
	return refuse(failure)
end

local function retire(r)
	if r.mode == 'x' and r.who == owner then
		r.who, r.till = former, till
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

-- Notifies the head of the queue to check again how long it has to wait.
local function hint(r)
	local first, entry = head(r)
	if first and entry.channel ~= '' then
		notify(first, entry)
	end
end

allowWrites()
local held = 1
for _, r in ipairs(resources) do
	expire(r)
	if retire(r) then
		hint(r)
	else
		held = 0
		leave(r, owner)
		advance(r)
	end
	write(r)
end
return held
