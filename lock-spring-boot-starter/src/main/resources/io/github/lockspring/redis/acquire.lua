-- Tries once to acquire all of the resources or none for one owner.
--
-- ARGV: the beginning of a record, "1 x <owner> ", or "1 r <owner> " if the lease is to be recallable; lease time;
-- time after which the resource may be deleted; tokens;
-- mode, for permits followed by their number, the limit and its version unless that is 0; flags and channel, which may be missing;
-- the lead of tokens, which may be missing too.
-- Several resources are exclusive and not recallable.
-- Flags: "f" fair, "q" enter the queue of the only resource if denied, "h" send hints and no grants, "c" cluster (this server does
-- not know the listeners).
-- Answer: the token if granted for the lease time; {token, 0} if the lease was to be recallable and is not;
-- {0, ms until a retry may succeed, attempt id} if denied, with a 1 if the owner is the first to wait for a lease that was recalled;
-- {-1, limit, version} if the limit of the permits is superseded.

-- The common case comes first: one resource, free, no contenders. Every command counts here.
local record = redis.call('HGET', KEYS[1], 'state')
local former
if record then
	local version, blank = string.byte(record, 1, 2)
	former = version == 49 and blank == 32 and tonumber(string.sub(record, 3))
elseif redis.call('EXISTS', KEYS[1]) == 0 then
	former = 0
end
local mode = ARGV[5]
if former and former < 9e15 and (#KEYS == 1 and not ARGV[7]
		or #KEYS == 2 and ARGV[7] == 'mark' and redis.call('EXISTS', KEYS[2]) == 0) then
	local time = redis.call('TIME')
	local grantedAt = time[1] .. string.sub('00000' .. time[2], -6)
	local token, fence, ttl = tonumber(grantedAt), grantedAt, ARGV[3]
	if token <= former then
		token = former + 1
		fence = nil
		ttl = string.format('%.0f', ttl + (token - grantedAt) / 1000)
	end
	if not fence or ARGV[4] ~= '1' then
		fence = string.format('%.0f', token + ARGV[4] - 1)
	end
	if mode == 'x' then
		redis.call('HSET', KEYS[1], 'state', ARGV[1] .. grantedAt .. ' ' .. ARGV[2] .. ' ' .. fence)
	else
		local permits, limit, version = string.match(mode, '^p (%d+) (%d+) ?(%d*)$')
		permits = permits or '1'
		local till = string.format('%.0f', grantedAt + ARGV[2] * 1000)
		local shares = permits .. '/' .. (limit or '0') .. '/' .. till
		if (version or '') ~= '' then
			shares = shares .. '/' .. version
		end
		redis.call('HSET', KEYS[1], 'state', '1 ' .. string.sub(mode, 1, 1) .. ' ' .. shares .. ' ' .. till .. ' 0 ' .. fence,
				string.sub(ARGV[1], 5, -2), 'h ' .. permits .. ' ' .. till .. ' ' .. string.format('%.0f', token))
	end
	redis.call('PEXPIRE', KEYS[1], ttl)
	return token
end

#include resource.lua
#include holder.lua

local owner, lease = string.sub(ARGV[1], 5, -2), tonumber(ARGV[2])
local permits, limit, version
mode, permits, limit, version = string.match(ARGV[5], '^(.) ?(%d*) ?(%d*) ?(%d*)$')
local flags, channel = string.match(ARGV[6] or '-', '^(%S+) ?(%S*)$')
local wanted = { mode = mode, permits = tonumber(permits) or 1, limit = tonumber(limit) or 0,
	version = tonumber(version) or 0, lease = lease, tokens = tonumber(ARGV[4]), flags = flags, channel = channel,
	recallable = string.sub(ARGV[1], 3, 3) == 'r' }
local resources, failure = readAll()
if not resources then
	return reject(failure)
end

-- Returns the token granted to this owner before, by this request or by the release of another.
local function renewed(r)
	if r.mode == 'x' and r.holder == owner and r.till > now then
		r.till = now + lease * 1000
		return r.fence - wanted.tokens + 1
	end
	if r.mode == 's' or r.mode == 'p' then
		local held = holding(r, owner)
		if held and held.till > now then
			held.till = now + lease * 1000
			hold(r, owner, held)
			return held.token
		end
	end
	return nil
end

local function granted(token)
	return (wanted.recallable and not resources[1].recallable) and { token, 0 } or token
end

local token = renewed(resources[1])
if token then
	write(resources[1])
	for i = 2, #resources do
		token = renewed(resources[i]) and token
		write(resources[i])
	end
	if token then
		return granted(token)
	end
end

for _, r in ipairs(resources) do
	expire(r)
	if isSuperseded(r, wanted) then
		return { -1, r.limit, r.version }
	end
end

local blocked
for _, r in ipairs(resources) do
	r.released = resources[2] and release(r, owner) -- it lost another of the resources
	r.changed = r.changed or r.released
	if r.mode == 'p' and wanted.mode == 'p' then
		r.limit, r.version = wanted.limit, wanted.version
	end
	if mustWait(r, owner, wanted) then
		blocked = r
	end
end

if not blocked then
	token = nextToken(resources)
	for _, r in ipairs(resources) do
		if isAwaited(r) then
			leave(r, owner)
			head(r)
		end
		grant(r, owner, wanted, token, lease)
		if wanted.mode ~= 'x' then
			advance(r)
		end
		write(r)
	end
	return granted(token)
end

if string.find(flags, 'q', 1, true) then
	enqueue(blocked, owner, wanted)
	blocked.changed = true
end
for _, r in ipairs(resources) do
	if r.changed then
		allowWrites()
		if r.released then
			advance(r)
		end
		write(r)
	end
end
local answer = { 0, retryAfter(blocked, wanted), now }
for _, r in ipairs(resources) do
	if recall(r, flags) and (head(r) or owner) == owner then
		answer[4] = 1
	end
end
return answer
