-- Renews leases, each for its full lease time from now.
--
-- ARGV: owner, lease time and number of resources of each lease, in the order of KEYS.
-- Answer: for each lease 1 if it is held, else 0.

#include resource.lua

local function isHeld(r, owner)
	if r.mode == 'x' then
		return r.holder == owner and r.till > now
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	return held and held.till > now
end

local function renew(r, owner, lease)
	local till = now + lease * 1000
	if r.mode == 'x' then
		r.till = till
	else
		local held = holding(r, owner)
		held.till = till
		hold(r, owner, held)
	end
	write(r)
end

allowWrites()
local renewedAt = string.format('%.0f', now)

-- The common case comes first: an exclusive lease of one resource without contenders.
local function renewSingle(key, owner, lease)
	local record = redis.pcall('HGET', key, 'state')
	if type(record) ~= 'string' then
		return false
	end
	local head = (string.byte(record, 3) == 114 and '1 r ' or '1 x ') .. owner .. ' '
	if string.sub(record, 1, #head) ~= head then
		return false
	end
	local grantedAt, former, fence = string.match(record, '^(%d+) (%d+) (%d+)$', #head + 1)
	if not grantedAt or grantedAt + former * 1000 <= now or tonumber(fence) > now then
		return false
	end
	redis.call('PEXPIRE', key, string.format('%.0f', lease + RETENTION))
	redis.call('HSET', key, 'state', string.format('%s%s %.0f %s', head, renewedAt, lease, fence))
	return true
end

local function renewAll(first, count, owner, lease)
	local resources = {}
	for key = first, first + count - 1 do
		local r, failure = read(key)
		if failure and not string.find(failure.err, 'WRONGTYPE', 1, true) then
			error(failure)
		end
		if not r or not isHeld(r, owner) then
			return false
		end
		resources[#resources + 1] = r
	end
	for _, r in ipairs(resources) do
		renew(r, owner, lease)
	end
	return true
end

local answer = {}
local key = 1
for i = 1, #ARGV, 3 do
	local owner, lease, count = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
	local held = count == 1 and renewSingle(KEYS[key], owner, lease) or renewAll(key, count, owner, lease)
	answer[#answer + 1] = held and 1 or 0
	key = key + count
end
return answer
