-- Reads values, and optionally registers a process for the notification of the next change of each. The layout of a key is described in
-- update-value.lua.
--
-- ARGV: the channel to which the process listens, or an empty text.
-- Answer: for each of KEYS "<number> <version>", or an empty text if there is no value.

local WATCH = 30 -- lifetime of a watch, in seconds; it is renewed in its second half

-- Fails on a server that rejects writes, which may be a former primary with outdated values.
redis.call('HDEL', KEYS[1], '')

local channel = ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1])
local millis = now * 1000 + math.floor(time[2] / 1000)

local function watch(key, watchers, exists)
	local others = ''
	for other, till in string.gmatch(watchers or '', '(%S+) (%d+)') do
		if other == channel and tonumber(till) > now + WATCH / 2 then
			return
		elseif other ~= channel and tonumber(till) > now then
			others = others .. other .. ' ' .. till .. ' '
		end
	end
	redis.call('HSET', key, 'watchers', others .. channel .. ' ' .. now + WATCH .. ' ')
	if not exists and redis.call('PTTL', key) < WATCH * 1000 then
		redis.call('PEXPIRE', key, WATCH * 1000)
	end
end

local answer = {}
for i, key in ipairs(KEYS) do
	local fields = redis.call('HMGET', key, 'value', 'watchers', 'expiry')
	local record, watchers, expiry = fields[1], fields[2], fields[3]
	local number, version = '-', '0'
	if record then
		number, version = string.match(record, '^1 (%-?%d*) (%d+)')
	end
	if not number or not record and not watchers and redis.call('EXISTS', key) == 1 then
		return redis.error_reply('FOREIGN data not written by this library')
	end
	if expiry and tonumber(expiry) <= millis then
		number = '-'
	end
	answer[i] = (number ~= '-') and number .. ' ' .. version or ''
	if channel ~= '' then
		watch(key, watchers, number ~= '-')
	end
end
return answer
