-- Functions shared by the scripts. KEYS are resources. The state of a resource is stored in a single key, so that in a cluster it is
-- always on one server. The key is a hash:
--
--   state    a record of one line: "1 <fence>" if the resource is free and has no contenders, else
--            "1 <mode> <holder> <grantedAt> <lease> <fence>", followed by " <first> <next>" if there may be contenders.
--            1 is the version of the format. fence is the largest fencing token ever granted.
--            mode is "x" exclusive, "r" exclusive and recallable, "s" shared, "p" permits, "-" free.
--            holder is the owner of an exclusive lease, which ends <lease> after <grantedAt>; of others it is
--            "<used>/<limit>/<last>": the permits in use, the limit, and the end of the last lease,
--            while the first of them ends <lease> after <grantedAt>. If the limit was changed, "/<version>" follows.
--            first is the first position in the queue, next the position of the next contender
--   <owner>  "h <permits> <till> <token>" of a lease that is not exclusive,
--            or "c <mode> <permits> <limit> <lease> <tokens> <flags> <attemptId> <position> <channel>" of a contender,
--            where the limit is "<limit>/<version>" if it was changed. attemptId is the time of its last attempt
--   <position>  the owner that waits at this position of the queue; it is missing if the owner has left
--
-- Times are microseconds of the server's clock, leases are milliseconds.

#include clock.lua

local ENTRY_LIFETIME = 5000000 -- lifetime of a queue entry without a retry of its contender, in us
local MAX_POLL_DELAY = 1000 -- maximum retry time of a contender that may not be notified of a grant, in ms
local MAX_PUSHED_VALIDITY = 1000 -- maximum validity of a grant by notification until it is renewed, in ms

local MAX_TOKEN = 9e15 -- the clock in the year 2255; numbers in Lua have 53 bits, beyond which tokens would be equal

local count = mark and #KEYS - 1 or #KEYS

-- Returns nil if the key holds foreign data, with the error of the server if it is not a hash.
local function read(i)
	local r = { key = KEYS[i] }
	local record = redis.pcall('HGET', r.key, 'state')
	if type(record) == 'table' then
		return nil, record
	end
	if not record and redis.call('EXISTS', r.key) == 1 then
		return nil
	end
	local grantedAt, lease, first, next
	if not record then
		r.mode, r.holder, grantedAt, lease, r.fence = '-', '-', 0, 0, 0
	else
		r.fence = string.match(record, '^1 (%d+)$')
		if r.fence then
			r.mode, r.holder, grantedAt, lease = '-', '-', 0, 0
		else
			r.mode, r.holder, grantedAt, lease, r.fence, first, next = string.match(record,
					'^1 ([-xrsp]) (%S+) (%d+) (%d+) (%d+) ?(%d*) ?(%d*)$')
		end
		if not r.mode then
			return nil
		end
		if r.mode == 'r' then
			r.mode, r.recallable = 'x', true
		end
	end
	r.till, r.fence = grantedAt + lease * 1000, tonumber(r.fence)
	if r.fence > MAX_TOKEN then
		return nil
	end
	r.first, r.next = tonumber(first) or 0, tonumber(next) or 0
	r.used, r.limit, r.last, r.version = string.match(r.holder, '^(%d+)/(%d+)/(%d+)/?(%d*)$')
	r.used, r.limit, r.last = tonumber(r.used) or 0, tonumber(r.limit) or 0, tonumber(r.last) or 0
	r.version = tonumber(r.version) or 0
	return r
end

local function readAll()
	local all = {}
	for i = 1, count do
		local r, failure = read(i)
		if not r then
			return nil, failure
		end
		all[#all + 1] = r
	end
	return all
end

local function reject(failure)
	return failure or redis.error_reply('FOREIGN data not written by this library')
end

-- Allows the writes of this script when the server is out of memory, because they remove or keep data: a server rejects only the
-- first write of a script, and not if it is a removal.
local function allowWrites()
	redis.pcall('HDEL', KEYS[1], '')
end

local function isAwaited(r)
	return r.first < r.next
end

local function hasShares(r)
	return r.mode == 's' or r.mode == 'p'
end

local function withVersion(text, version)
	return (version > 0) and string.format('%s/%.0f', text, version) or text
end

local function recordOf(r)
	if r.mode == '-' and not isAwaited(r) then
		return string.format('1 %.0f', r.fence)
	end
	local holder = hasShares(r) and withVersion(string.format('%.0f/%.0f/%.0f', r.used, r.limit, r.last), r.version) or r.holder
	local text = string.format('1 %s %s %.0f 0 %.0f', r.recallable and 'r' or r.mode, holder, r.till, r.fence)
	return isAwaited(r) and string.format('%s %.0f %.0f', text, r.first, r.next) or text
end

local function write(r)
	local text = recordOf(r)
	if text == '1 0' then
		return -- nothing to keep
	end
	local last = hasShares(r) and r.last or r.till
	local ttl = math.ceil(math.max(last - now, r.fence - now, 0) / 1000) + RETENTION
	redis.call('HSET', r.key, 'state', text)
	redis.call('PEXPIRE', r.key, string.format('%.0f', ttl))
end

local function clear(r)
	r.mode, r.holder, r.till, r.used, r.limit, r.last, r.version = '-', '-', 0, 0, 0, 0, 0
	r.recallable = false
end

local function holding(r, owner)
	local text = redis.call('HGET', r.key, owner)
	if not text then
		return nil
	end
	local permits, till, token = string.match(text, '^h (%d+) (%d+) (%d+)$')
	return permits and { permits = tonumber(permits), till = tonumber(till), token = tonumber(token) }
end

local function hold(r, owner, holding)
	redis.call('HSET', r.key, owner, string.format('h %.0f %.0f %.0f', holding.permits, holding.till, holding.token))
	r.till, r.last = math.min(r.till, holding.till), math.max(r.last, holding.till)
end

-- Ends expired leases. The new state is to be written even if nothing else changes, because all leases are read again otherwise.
local function expire(r)
	if r.mode == '-' or r.till > now then
		return
	end
	r.changed = true
	if r.mode == 'x' then
		clear(r)
		return
	end
	local till, last, used = math.huge, 0, 0
	local fields = redis.call('HGETALL', r.key)
	for i = 1, #fields, 2 do
		local permits, ends = string.match(fields[i + 1], '^h (%d+) (%d+)')
		ends = tonumber(ends)
		if ends and ends <= now then
			redis.call('HDEL', r.key, fields[i])
		elseif ends then
			till, last, used = math.min(till, ends), math.max(last, ends), used + permits
		end
	end
	if used == 0 then
		clear(r)
	else
		r.till, r.last, r.used = till, last, used
	end
end

-- Returns whether the limit of the key takes precedence over that of a request: it is newer, or a different one of the same version.
local function isSuperseded(r, wanted)
	return r.mode == 'p' and wanted.mode == 'p'
			and (wanted.version < r.version or wanted.version == r.version and wanted.limit ~= r.limit)
end

local function admits(r, wanted)
	if r.mode == '-' then
		return true
	end
	return r.mode == wanted.mode and (r.mode == 's' or r.mode == 'p' and not isSuperseded(r, wanted)
			and r.used + wanted.permits <= wanted.limit)
end

local function nextToken(resources)
	local token = now + lead()
	for _, r in ipairs(resources) do
		token = math.max(token, r.fence + 1)
	end
	return token
end

local function grant(r, owner, wanted, token, lease)
	local till = now + lease * 1000
	r.fence = token + wanted.tokens - 1
	if wanted.mode == 'x' then
		r.mode, r.holder, r.till = 'x', owner, till
		r.recallable = wanted.recallable and not isAwaited(r)
		return
	end
	r.till = (r.mode == '-') and till or r.till
	r.mode, r.limit, r.version, r.used = wanted.mode, wanted.limit, wanted.version, r.used + wanted.permits
	hold(r, owner, { permits = wanted.permits, till = till, token = token })
end

local function contender(r, owner)
	local text = redis.call('HGET', r.key, owner)
	if not text then
		return nil
	end
	local mode, permits, limit, version, lease, tokens, flags, attemptId, position, channel = string.match(text,
			'^c (.) (%d+) (%d+)/?(%d*) (%d+) (%d+) (%S+) (%d+) (%d+) (%S*)$')
	return mode and { mode = mode, permits = tonumber(permits), limit = tonumber(limit), version = tonumber(version) or 0,
		lease = tonumber(lease), tokens = tonumber(tokens), flags = flags, attemptId = tonumber(attemptId), position = position,
		channel = channel }
end

local function leave(r, owner, entry)
	entry = entry or contender(r, owner)
	if entry then
		redis.call('HDEL', r.key, owner, entry.position)
	end
end

local function saveEntry(r, owner, entry)
	redis.call('HSET', r.key, entry.position, owner, owner, string.format('c %s %.0f %s %.0f %.0f %s %.0f %s %s', entry.mode,
			entry.permits, withVersion(string.format('%.0f', entry.limit), entry.version), entry.lease, entry.tokens,
			entry.flags, now, entry.position, entry.channel))
end

-- Enters the queue, or keeps the entry.
local function enqueue(r, owner, wanted)
	local entry = contender(r, owner)
	if entry then
		wanted.position = entry.position
		allowWrites()
	else
		wanted.position = string.format('%.0f', r.next)
		r.next = r.next + 1
	end
	saveEntry(r, owner, wanted)
end

-- Notifies a contender of a grant (or, without a token, to retry).
-- Returns false if its process has ended: there is no listener, which is certain except in a cluster.
local function notify(owner, entry, token, lease)
	local text = owner
	if token then
		text = string.format('%s %.0f %.0f %.0f %.0f', owner, token, lease, entry.attemptId, (now - entry.attemptId) / 1000)
	end
	local receivers = redis.pcall('PUBLISH', entry.channel, text)
	return type(receivers) ~= 'number' or receivers > 0 or string.find(entry.flags, 'c', 1, true)
end

-- Asks the holder of a recallable lease to release it. Returns whether its process listens.
local function recall(r, flags)
	local instance = r.mode == 'x' and r.recallable and string.match(r.holder, '^([^@]*)%-')
	if not instance then
		return false
	end
	local receivers = redis.pcall('PUBLISH', 'lock:' .. instance, r.holder .. ' recall ' .. r.key)
	return type(receivers) == 'number' and (receivers > 0 or string.find(flags, 'c', 1, true))
end

-- Finds the head of the queue, and removes entries before it that have expired, or whose limit is superseded.
local function head(r)
	while isAwaited(r) do
		local position = string.format('%.0f', r.first)
		local owner = redis.call('HGET', r.key, position)
		local entry = owner and contender(r, owner)
		if entry and now - entry.attemptId < ENTRY_LIFETIME and not isSuperseded(r, entry) then
			return owner, entry
		end
		if entry and isSuperseded(r, entry) and entry.channel ~= '' then
			notify(owner, entry)
		end
		if owner then
			leave(r, owner, entry)
			redis.call('HDEL', r.key, position)
		end
		r.first = r.first + 1
		r.changed = true
	end
	return nil
end

-- Notifies the head of the queue to retry.
local function hint(r)
	local owner, entry = head(r)
	if owner and entry.channel ~= '' then
		notify(owner, entry)
	end
end

-- Returns whether contenders take precedence over an owner: all of them over a fair one and over permits that are queued, and a
-- writer over other readers.
local function mustQueue(r, owner, wanted)
	local first, entry = head(r)
	if not first or first == owner then
		return false
	end
	return string.find(wanted.flags, 'f', 1, true) or wanted.mode == 's' and entry.mode == 'x'
			or wanted.mode == 'p' and string.find(wanted.flags, 'q', 1, true)
end

-- Returns the ms after which a contender retries: when the lease ends, if it is notified of earlier releases.
local function retryAfter(r, entry)
	local left = (r.till > now) and math.ceil((r.till - now) / 1000) or MAX_POLL_DELAY
	return (entry.channel ~= '' and not string.find(entry.flags, 'h', 1, true)) and left or math.min(left, MAX_POLL_DELAY)
end

-- Grants the requests at the head of the queue, as far as they are admitted, but not that of the given owner.
local function advance(r, except)
	while true do
		local owner, entry = head(r)
		if not owner or owner == except or not admits(r, entry) or entry.channel == '' then
			return
		end
		local hint = string.find(entry.flags, 'h', 1, true)
		if hint and notify(owner, entry) then
			return
		end
		leave(r, owner, entry)
		r.changed = true
		if not hint then
			local lease = math.min(MAX_PUSHED_VALIDITY, math.ceil(entry.lease / 3))
			local token = nextToken({ r })
			if notify(owner, entry, token, lease) then
				grant(r, owner, entry, token, lease)
			end
		end
	end
end

-- Returns whether an owner must wait. Those before it get what is free, unless their processes have ended.
local function mustWait(r, owner, wanted)
	if admits(r, wanted) and mustQueue(r, owner, wanted) then
		advance(r, owner)
	end
	return not admits(r, wanted) or mustQueue(r, owner, wanted)
end
