-- Releases a lease after a delay. Until then it belongs to a placeholder owner that no process uses.
--
-- ARGV: owner; delay.
-- Answer: 1 if it held the resource until now, else 0.

#include resource.lua

local owner, delay = ARGV[1], tonumber(ARGV[2])
local former, till = owner .. '!', now + delay * 1000
local r, failure = read(1)
if not r then
	return reject(failure)
end

local function replaceByPlaceholder()
	if r.mode == 'x' and r.holder == owner then
		r.holder, r.till, r.recallable = former, till, false
		return true
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	if held then
		redis.call('HDEL', r.key, owner)
		held.till = till
		hold(r, former, held)
		return true
	end
	return false
end

allowWrites()
expire(r)
local held = replaceByPlaceholder()
if held then
	hint(r) -- the time until the release has changed
else
	leave(r, owner)
	advance(r)
end
write(r)
return held and 1 or 0
