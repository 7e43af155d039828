-- The server's clock in microseconds, and by how much fencing tokens and versions lead it.

local LEAD = 30000000 -- by how much they lead the clock at first after a failover, in us
local RETENTION = 10000 -- by how much the clock may be set back, in ms

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- The last argument of scripts that grant, or that change values, is the time since a failover, in us, for some time after it:
-- "lead <us>"; or "mark <us>", or only "mark" at other times, if the last key is the one on which this server keeps when that was.
local leading = ARGV[#ARGV] or ''
local mark = string.find(leading, '^mark') and KEYS[#KEYS]
local ago = tonumber(string.match(leading, '^lead (%d+)$') or string.match(leading, '^mark (%d+)$'))

-- Returns by how much tokens currently lead the clock. They increase all the time, half as fast as the clock until it has reached
-- them. Processes may know different times of a failover, and the latest applies to all.
local function lead()
	local since = ago and now - ago or 0
	if mark then
		local record = redis.call('HGET', mark, 'state')
		local kept = tonumber(record and string.match(record, '^1 (%d+)$') or 0)
		if since > kept then
			redis.call('HSET', mark, 'state', string.format('1 %.0f', since))
			redis.call('PEXPIRE', mark, string.format('%.0f', math.ceil((since + 2 * LEAD - now) / 1000) + RETENTION))
		end
		since = math.max(since, kept)
	end
	return math.max(0, LEAD - math.floor(math.max(now - since, 0) / 2))
end
