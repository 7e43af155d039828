-- Gives back whatever an owner has: the leases, the place in the queue.
--
-- ARGV: owner.
-- Answer: {1} if it held all of the resources until now, else {0}.

-- The common case comes first: one resource, exclusive, nobody waits.
local owner = ARGV[1]
local record = #KEYS == 3 and redis.call('GET', KEYS[1])
if record then
	local who, till, fence = string.match(record, '^1 x (%S+) (%d+) (%d+) %-$')
	if who == owner then
		local time = redis.call('TIME')
		redis.call('SET', KEYS[1], '1 - - 0 ' .. fence .. ' -', 'PX', 10000)
		return { (time[1] * 1000000 + time[2] < tonumber(till)) and 1 or 0 }
	end
end

#include resource.lua

local resources = readAll()
if not resources then
	return foreign()
end

local function giveBack(r)
	if r.mode == 'x' and r.who == owner then
		local held = r.till > now
		free(r)
		return held
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	if held then
		redis.call('HDEL', r.details, owner)
		r.used = r.used - held.permits
		if r.used <= 0 then
			free(r)
		end
		return held.till > now
	end
	return false
end

local held = 1
for _, r in ipairs(resources) do
	if not giveBack(r) then
		held = 0
		leave(r, owner)
	end
	expire(r)
	advance(r)
	write(r)
end
return { held }
