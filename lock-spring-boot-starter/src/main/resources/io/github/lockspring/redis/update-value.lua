-- Changes a value, unless the same update has changed it before. A value is stored in a single key, a hash:
--
--   value      "1 <number> <version>", or "1 - <version>" of a value that has been deleted, followed by " forgotten" if
--              the updates of some processes have been removed. 1 is the version of the format
--   <process>  "<sequence> <number before> <version before> <number after> <version after>" of its last update
--   expiry     time in milliseconds at which the value is deleted, if it has a time to live. Its updates are kept for a while longer
--   watchers   "<channel> <till> " of each process that is notified of the next change and its result, until that time in seconds
--
-- ARGV: process; sequence; the number to add or to assign, "-" to delete the value, or the time to live in milliseconds, 0 for none;
-- the condition: the minimum of the sum, the expected number or the expected version; what that is: "replace", "set", "expire", or the
-- number below which the sum deletes the value; "again" if the update is repeated; the lead of versions. The last four may be missing, or
-- "-".
-- Answer: "<number before> <version before> <number after> <version after>" if the value was changed; {0, the same} if not;
-- {-1} if it is unknown whether a repeated update has changed it.

local DELETED_RETENTION = 120000 -- time for which the updates of a deleted or expired value are kept, in ms
local MAX_VERSION = 9e15 -- the clock in the year 2255; numbers in Lua have 53 bits, beyond which versions would be equal
local MAX_UPDATES, KEPT_UPDATES = 128, 96 -- maximum number of recorded updates, and the number kept if it is exceeded

local key, process, sequence, operand, condition, kind = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4] or '-', ARGV[5]
local fields = redis.call('HMGET', key, 'value', process, 'watchers', 'expiry')
local record, last, watchers, expiry = fields[1], fields[2], fields[3], fields[4]
local number, version, forgotten = '-', '0', ''
if record then
	number, version, forgotten = string.match(record, '^1 (%-?%d*) (%d+)(.*)$')
end
if not number or tonumber(version) > MAX_VERSION
		or not record and not watchers and redis.call('EXISTS', key) == 1 then
	return redis.error_reply('FOREIGN data not written by this library')
end
local time = redis.call('TIME')
local clock = time[1] .. string.sub('00000' .. time[2], -6)
local millis = math.floor(clock / 1000)
local exists = number ~= '-' and not (expiry and tonumber(expiry) <= millis)
local before = exists and number .. ' ' .. version or '0 0'

-- Compares integers of 64 bits, which are texts because numbers in Lua have 53 bits.
local function less(a, b)
	local x, y = tonumber(a), tonumber(b)
	if x ~= y then
		return x < y
	elseif #a ~= #b then
		return (#a < #b) == (x > 0)
	end
	return a ~= b and (a < b) == (x > 0)
end

-- Adds integers of 64 bits. Returns false if the sum has more.
local function sum(a, b)
	if #a < 16 and #b < 16 then
		return string.format('%.0f', a + b)
	end
	redis.call('HSET', key, 'sum', a)
	local answer = redis.pcall('HINCRBY', key, 'sum', b)
	local exact = redis.call('HGET', key, 'sum')
	redis.call('HDEL', key, 'sum')
	if type(answer) == 'table' and not string.find(answer.err, 'overflow', 1, true) then
		error(answer)
	end
	return type(answer) == 'number' and exact
end

if last then
	local former = string.match(last, '^%-?%d+')
	if former == sequence then
		redis.call('HSET', key, process, last) -- replicas acknowledge the last write of a connection
		return string.sub(last, #former + 2)
	elseif less(sequence, former) then
		return { 0, before .. ' ' .. before }
	end
elseif ARGV[6] == 'again' and forgotten ~= '' then
	return { -1 }
end

local after
if kind == 'replace' then
	after = condition == (exists and number or '0') and operand
elseif kind == 'expire' then
	after = exists and number
elseif kind == 'set' then
	after = (condition == '-' or condition == (exists and version or '0')) and operand
else
	after = sum(exists and number or '0', operand)
	after = after and (condition == '-' or not less(after, condition)) and after
	if after and kind and kind ~= '-' and less(after, kind) then
		after = '-'
	end
end
if not after or after == '-' and not exists then
	return { 0, before .. ' ' .. before }
end

local minVersion = version + 1
if ARGV[7] and (ARGV[7] ~= 'mark' or redis.call('EXISTS', KEYS[2]) == 1) then
#include clock.lua
	minVersion = math.max(minVersion, now + lead())
end
version = minVersion < tonumber(clock) and clock or string.format('%.0f', minVersion)
if kind == 'expire' then
	expiry = operand ~= '0' and string.format('%.0f', millis + operand)
elseif after == '-' or not exists then
	expiry = false
end
local kept = DELETED_RETENTION + math.max(minVersion - clock, 0) / 1000
if after == '-' or expiry then
	redis.call('PEXPIRE', key, string.format('%.0f', kept + (expiry and expiry - millis or 0)))
elseif kind == 'expire' or not exists and (record or watchers) then
	redis.call('PERSIST', key)
end
local result = before .. (after == '-' and ' 0 0' or ' ' .. after .. ' ' .. version)
local changed = { 'value', '1 ' .. after .. ' ' .. version .. forgotten, process, sequence .. ' ' .. result, expiry and 'expiry', expiry }
local added = redis.call('HSET', key, unpack(changed, 1, expiry and 6 or 4))
if fields[4] and not expiry then
	redis.call('HDEL', key, 'expiry')
end

-- The value is changed: what follows must not fail.

if added > 0 then
	-- Removes the oldest updates.
	local function trim()
		local all = redis.call('HGETALL', key)
		local versions = {}
		local function versionOf(i)
			local earlier, later = string.match(all[i + 1], '^%S+ %S+ (%d+) %S+ (%d+)$')
			return earlier and math.max(earlier, later)
		end
		for i = 1, #all, 2 do
			versions[#versions + 1] = versionOf(i)
		end
		table.sort(versions)
		redis.call('HSET', key, 'value', '1 ' .. after .. ' ' .. version .. ' forgotten')
		for i = 1, #all, 2 do
			local changed = versionOf(i)
			if changed and changed <= versions[#versions - KEPT_UPDATES] then
				redis.call('HDEL', key, all[i])
			end
		end
	end
	local count = redis.pcall('HLEN', key)
	if type(count) == 'number' and count > MAX_UPDATES then
		pcall(trim)
	end
end
if watchers then
	redis.pcall('HDEL', key, 'watchers')
	for channel in string.gmatch(watchers, '(%S+) %d+') do
		redis.pcall('PUBLISH', channel, key .. ' ' .. after .. ' ' .. version)
	end
end
return result
