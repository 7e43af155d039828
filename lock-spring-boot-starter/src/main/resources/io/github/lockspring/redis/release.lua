-- Releases the leases and the queue entry of an owner.
--
-- ARGV: the beginning of a record, "1 x <owner> ", with "r" for a lease that was to be recallable.
-- Answer: 1 if it held all of the resources until now, else 0.

-- The common case comes first: one resource, a single holder, no contenders. A server that is out of memory rejects the first write
-- of a script if it may need memory, which PEXPIRE does not.
local owner = string.sub(ARGV[1], 5, -2)
local single = not KEYS[2] or not KEYS[3] and ARGV[2] and string.find(ARGV[2], '^mark')
local record = single and redis.call('HGET', KEYS[1], 'state')
local share, till, fence
if record and string.find(record, ARGV[1], 1, true) == 1 then
	local grantedAt, lease
	grantedAt, lease, fence = string.match(record, '^(%d+) (%d+) (%d+)$', #ARGV[1] + 1)
	if grantedAt and grantedAt == fence then
		-- the token is behind the clock, and the key lives for 10 seconds more than the lease
		local left = redis.call('PTTL', KEYS[1])
		redis.call('PEXPIRE', KEYS[1], '10000')
		redis.call('HSET', KEYS[1], 'state', '1 ' .. fence)
		return (left > 10000) and 1 or 0
	end
	till = grantedAt and grantedAt + lease * 1000
elseif record then
	local used, permits
	used, fence = string.match(record, '^1 [sp] (%d+)/[%d/]+ %d+ 0 (%d+)$')
	share = fence and redis.call('HGET', KEYS[1], owner)
	if share then
		permits, till = string.match(share, '^h (%d+) (%d+) %d+$')
		till = permits == used and tonumber(till)
	end
end
if till then
	local time = redis.call('TIME')
	local now = time[1] * 1000000 + time[2]
	redis.call('PEXPIRE', KEYS[1], string.format('%.0f', 10000 + math.max(fence - now, 0) / 1000))
	if share then
		redis.call('HDEL', KEYS[1], owner)
	end
	redis.call('HSET', KEYS[1], 'state', '1 ' .. fence)
	return (now < till) and 1 or 0
end

#include resource.lua

local resources, failure = readAll()
if not resources then
	return reject(failure)
end

#include holder.lua

allowWrites()
local held = 1
for _, r in ipairs(resources) do
	if not release(r, owner) then
		held = 0
		leave(r, owner)
	end
	expire(r)
	advance(r)
	write(r)
end
return held
