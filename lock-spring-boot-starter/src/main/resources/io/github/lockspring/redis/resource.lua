-- What the scripts share. KEYS names resources. A resource has three keys, of which only the first is passed, because
-- the others exist only while somebody waits or while leases stand side by side:
--
--   state    a record of one line: "1 <fence>" if the resource is free and nobody waits, else
--            "1 <mode> <who> <since> <lease> <fence>", followed by " q" if somebody may wait.
--            1 is the version of the format. fence is the largest fencing token ever granted.
--            mode is "x" exclusive, "s" shared, "p" permits, "-" free.
--            who is the owner of an exclusive lease, which ends <lease> after <since>; of others it is
--            "<used>/<limit>/<last>": the permits in use, how many there are, and when the last lease ends,
--            while the first of them ends <lease> after <since>
--   details  a hash: owner -> "h <permits> <till> <token>" of a lease that is not exclusive,
--            or "c <mode> <permits> <limit> <lease> <tokens> <flags> <stamp> <channel>" of a contender
--   queue    a list of the owners that wait, the head first
--
-- Times are microseconds of the server's clock, leases are milliseconds. Every key is allowed to be missing.

local RETENTION = 10000 -- how long the fencing token outlives the lease, in ms: the clock may be set back by as much
local PLACE = 5000000 -- how long a place in the queue lasts if its contender does not come back, in us
local CLAIM = 1000 -- how long a grant that was made unasked lasts at most until it is renewed, in ms

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function read(i)
	local r = { state = KEYS[i], details = KEYS[i] .. ':d', queue = KEYS[i] .. ':q' }
	local record = redis.call('GET', r.state)
	local since, lease
	if not record then
		r.mode, r.who, since, lease, r.fence, r.queued = '-', '-', 0, 0, 0, ''
	else
		r.fence = string.match(record, '^1 (%d+)$')
		if r.fence then
			r.mode, r.who, since, lease, r.queued = '-', '-', 0, 0, ''
		else
			r.mode, r.who, since, lease, r.fence, r.queued = string.match(record,
					'^1 ([-xsp]) (%S+) (%d+) (%d+) (%d+)( ?q?)$')
		end
		if not r.mode then
			return nil
		end
	end
	r.till, r.fence = since + lease * 1000, tonumber(r.fence)
	r.used, r.limit, r.last = string.match(r.who, '^(%d+)/(%d+)/(%d+)$')
	r.used, r.limit, r.last = tonumber(r.used) or 0, tonumber(r.limit) or 0, tonumber(r.last) or 0
	return r
end

local function readAll()
	local all = {}
	for i = 1, #KEYS do
		local r = read(i)
		if not r then
			return nil
		end
		all[#all + 1] = r
	end
	return all
end

local function foreign()
	return redis.error_reply('FOREIGN data that these locks did not write')
end

local function write(r)
	local text, last = string.format('1 %.0f', r.fence), r.till
	if r.mode == 's' or r.mode == 'p' then
		r.who = string.format('%.0f/%.0f/%.0f', r.used, r.limit, r.last)
		last = r.last
	end
	if r.mode ~= '-' or r.queued ~= '' then
		text = string.format('1 %s %s %.0f 0 %.0f%s', r.mode, r.who, r.till, r.fence, r.queued)
	elseif r.fence == 0 then
		return -- nothing to remember
	end
	local ttl = math.ceil(math.max(last - now, r.fence - now, 0) / 1000) + RETENTION
	redis.call('PSETEX', r.state, string.format('%.0f', ttl), text)
end

local function free(r)
	r.mode, r.who, r.till, r.used, r.limit, r.last = '-', '-', 0, 0, 0, 0
end

local function keepDetails(r, till)
	local ttl = math.ceil((math.max(till, r.last) - now + 2 * PLACE) / 1000)
	redis.call('PEXPIRE', r.details, string.format('%.0f', ttl))
end

local function holding(r, owner)
	local text = redis.call('HGET', r.details, owner)
	if not text then
		return nil
	end
	local permits, till, token = string.match(text, '^h (%d+) (%d+) (%d+)$')
	return permits and { permits = tonumber(permits), till = tonumber(till), token = tonumber(token) }
end

local function hold(r, owner, holding)
	redis.call('HSET', r.details, owner,
			string.format('h %.0f %.0f %.0f', holding.permits, holding.till, holding.token))
	r.last = math.max(r.last, holding.till)
	keepDetails(r, holding.till)
end

-- Ends what is over by now.
local function expire(r)
	if r.mode == '-' or r.till > now then
		return
	end
	if r.mode == 'x' then
		free(r)
		return
	end
	local till, last, used = math.huge, 0, 0
	local details = redis.call('HGETALL', r.details)
	for i = 1, #details, 2 do
		local permits, ends = string.match(details[i + 1], '^h (%d+) (%d+)')
		ends = tonumber(ends)
		if ends and ends <= now then
			redis.call('HDEL', r.details, details[i])
		elseif ends then
			till, last, used = math.min(till, ends), math.max(last, ends), used + permits
		end
	end
	if used == 0 then
		free(r)
	else
		r.till, r.last, r.used = till, last, used
	end
end

local function admits(r, wanted)
	if r.mode == '-' then
		return true
	end
	return r.mode == wanted.mode and (r.mode == 's' or r.mode == 'p' and r.limit == wanted.limit
			and r.used + wanted.permits <= r.limit)
end

local function nextToken(resources)
	local token = now
	for _, r in ipairs(resources) do
		token = math.max(token, r.fence + 1)
	end
	return token
end

local function grant(r, owner, wanted, token, lease)
	local till = now + lease * 1000
	r.fence = token + wanted.tokens - 1
	if wanted.mode == 'x' then
		r.mode, r.who, r.till = 'x', owner, till
		return
	end
	r.till = (r.mode == '-') and till or math.min(r.till, till)
	r.mode, r.limit, r.used = wanted.mode, wanted.limit, r.used + wanted.permits
	hold(r, owner, { permits = wanted.permits, till = till, token = token })
end

local function leave(r, owner)
	redis.call('LREM', r.queue, 1, owner)
	redis.call('HDEL', r.details, owner)
end

local function contender(r, owner)
	local text = redis.call('HGET', r.details, owner)
	if not text then
		return nil
	end
	local mode, permits, limit, lease, tokens, flags, stamp, channel = string.match(text,
			'^c (.) (%d+) (%d+) (%d+) (%d+) (%S+) (%d+) (%S*)$')
	return mode and { mode = mode, permits = tonumber(permits), limit = tonumber(limit), lease = tonumber(lease),
		tokens = tonumber(tokens), flags = flags, stamp = tonumber(stamp), channel = channel }
end

-- Takes a place in the queue, or keeps it.
local function enqueue(r, owner, wanted, channel)
	if not redis.call('LPOS', r.queue, owner) then
		redis.call('RPUSH', r.queue, owner)
	end
	redis.call('HSET', r.details, owner, string.format('c %s %.0f %.0f %.0f %.0f %s %.0f %s', wanted.mode,
			wanted.permits, wanted.limit, wanted.lease, wanted.tokens, wanted.flags, now, channel))
	keepDetails(r, r.till)
	redis.call('PEXPIRE', r.queue, 2 * PLACE / 1000)
	r.queued = ' q'
end

-- Finds the head of the queue, and drops those before it that did not come back.
local function head(r)
	if r.queued == '' then
		return nil
	end
	while true do
		local owner = redis.call('LINDEX', r.queue, 0)
		if not owner then
			r.queued = ''
			return nil
		end
		local entry = contender(r, owner)
		if entry and now - entry.stamp < PLACE then
			return owner, entry
		end
		leave(r, owner)
	end
end

-- Tells a contender of a grant (or, without a token, to try again).
-- Answers false if it is gone for good: nobody listens, and this server would know.
local function tell(owner, entry, token, lease)
	local text = owner
	if token then
		text = string.format('%s %.0f %.0f %.0f', owner, token, (now - entry.stamp) / 1000 + lease, entry.stamp)
	end
	local heard = redis.pcall('PUBLISH', entry.channel, text)
	return type(heard) ~= 'number' or heard > 0 or string.find(entry.flags, 'c', 1, true)
end

-- Grants to those at the head of the queue what they are waiting for, as far as they are admitted.
local function advance(r)
	while true do
		local owner, entry = head(r)
		if not owner or not admits(r, entry) or entry.channel == '' then
			return
		end
		local hint = string.find(entry.flags, 'h', 1, true)
		if hint and tell(owner, entry) then
			return
		end
		leave(r, owner)
		if string.find(entry.flags, 'm', 1, true) then
			tell(owner, entry)
		elseif not hint then
			local lease = math.min(CLAIM, math.ceil(entry.lease / 3))
			local token = nextToken({ r })
			if tell(owner, entry, token, lease) then
				grant(r, owner, entry, token, lease)
			end
		end
	end
end
