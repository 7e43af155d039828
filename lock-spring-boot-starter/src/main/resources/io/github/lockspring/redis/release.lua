-- Gives back whatever an owner has: the leases, the place in the queue.
--
-- ARGV: owner.
-- Answer: 1 if it held all of the resources until now, else 0.

-- The common case comes first: one resource, exclusive, nobody waits.
local owner = ARGV[1]
local record = #KEYS == 3 and redis.call('GET', KEYS[1])
if record and string.find(record, owner, 5, true) == 5 and string.byte(record, 3) == 120
		and string.byte(record, 5 + #owner) == 32 and string.byte(record, 1) == 49 then
	local since, lease, fence = string.match(record, '^(%d+) (%d+) (%d+)$', 6 + #owner)
	if since then
		local time = redis.call('TIME')
		local now = time[1] * 1000000 + time[2]
		local ahead = fence - now
		redis.call('PSETEX', KEYS[1], ahead > 0 and string.format('%.0f', 10000 + ahead / 1000) or '10000', '1 ' .. fence)
		return (now < since + lease * 1000) and 1 or 0
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
return held
