-- Tries once to acquire, for one owner, all of the resources or none.
--
-- ARGV: owner, lease time, tokens, mode, permits, limit, flags, channel.
-- Flags: "f" fair, "q" take a place in the queue if denied, "h" send hints and no grants, "m" many resources (a hint,
-- and the next one gets its turn at once), "c" cluster (this server does not know who listens), "-" for none.
-- Answer: {token, validity in ms}, or {0, ms until it may make sense to try again, stamp} if denied,
-- or {-1, limit} if the permits are in use with another limit.

-- The common case comes first: one resource, exclusive, free, nobody waits.
local record = redis.call('GET', KEYS[1])
local fence = not record and 0 or string.match(record, '^1 %- %- 0 (%d+) %-$')
if fence and ARGV[4] == 'x' and #KEYS == 3 then
	local time = redis.call('TIME')
	local now = time[1] * 1000000 + time[2]
	local token = math.max(fence + 1, now)
	redis.call('SET', KEYS[1], string.format('1 x %s %.0f %.0f -', ARGV[1], now + ARGV[2] * 1000, token + ARGV[3] - 1),
			'PX', ARGV[2] + 10000)
	return { token, tonumber(ARGV[2]) }
end

#include resource.lua

local owner, lease, flags, channel = ARGV[1], tonumber(ARGV[2]), ARGV[7], ARGV[8]
local wanted = { mode = ARGV[4], permits = tonumber(ARGV[5]), limit = tonumber(ARGV[6]), lease = lease,
	tokens = tonumber(ARGV[3]), flags = flags }
local resources = readAll()
if not resources then
	return foreign()
end

-- Finds what this owner was granted before, by this request or by one who released.
local function renewed(r)
	if r.mode == 'x' and r.who == owner and r.till > now then
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

local token = renewed(resources[1])
if token then
	write(resources[1])
	for i = 2, #resources do
		token = renewed(resources[i]) and token
		write(resources[i])
	end
	if token then
		return { token, lease }
	end
end

local blocked
for _, r in ipairs(resources) do
	expire(r)
	if r.mode == 'p' and wanted.mode == 'p' and r.limit ~= wanted.limit then
		return { -1, r.limit }
	end
	local admitted = admits(r, wanted)
	if admitted and string.find(flags, 'f', 1, true) then
		local first = head(r)
		admitted = not first or first == owner
	end
	blocked = blocked or not admitted and r
end

if not blocked then
	token = nextToken(resources)
	for _, r in ipairs(resources) do
		if r.queued == 'q' then
			leave(r, owner)
		end
		grant(r, owner, wanted, token, lease)
		if wanted.mode ~= 'x' and r.queued == 'q' then
			advance(r)
		end
		write(r)
	end
	return { token, lease }
end

if string.find(flags, 'q', 1, true) then
	enqueue(blocked, owner, wanted, channel)
	write(blocked)
end
local wait = math.huge
if blocked.till > now then
	wait = math.ceil((blocked.till - now) / 1000)
end
return { 0, math.min(wait, PLACE / 5000), now }
