-- The server's clock in microseconds, and the lead of fencing tokens and versions over it.

local LEAD = 30000000 -- their lead over the clock immediately after a failover, in us
local RETENTION = 10000 -- time by which the clock may be set back, in ms

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- The last argument of scripts that grant, or that change values, is the time since a failover, in us, for some time after it:
-- "lead <us>"; or "mark <us>", or only "mark" at other times, if the last key is the one in which this server stores the time of the failover.
local leading = ARGV[#ARGV] or ''
local mark = string.find(leading, '^mark') and KEYS[#KEYS]
local ago = tonumber(string.match(leading, '^lead (%d+)$') or string.match(leading, '^mark (%d+)$'))

-- Returns the current lead of tokens over the clock. They increase half as fast as the clock until it has reached them. Processes may
-- detect a failover at different times, and the latest time applies to all of them.
local function lead()
	local failoverAt = ago and now - ago or 0
	if mark then
		local record = redis.call('HGET', mark, 'state')
		local kept = tonumber(record and string.match(record, '^1 (%d+)$') or 0)
		if failoverAt > kept then
			redis.call('HSET', mark, 'state', string.format('1 %.0f', failoverAt))
			redis.call('PEXPIRE', mark, string.format('%.0f', math.ceil((failoverAt + 2 * LEAD - now) / 1000) + RETENTION))
		end
		failoverAt = math.max(failoverAt, kept)
	end
	return math.max(0, LEAD - math.floor(math.max(now - failoverAt, 0) / 2))
end
