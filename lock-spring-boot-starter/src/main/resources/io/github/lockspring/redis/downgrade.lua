-- Replaces an exclusive lease by a shared one, or permits by fewer permits.
--
-- ARGV: owner of the former lease, owner of the weaker lease, lease time, tokens, mode, for permits followed by their number and
-- the limit.
-- Answer: the token if granted for the lease time, or 0 if the former lease has ended.

#include resource.lua

local r, failure = read(1)
if not r then
	return reject(failure)
end
allowWrites()
local lease = tonumber(ARGV[3])
local mode, permits = string.match(ARGV[5], '^(.) ?(%d*)')
local held = r.mode == mode and holding(r, ARGV[2])
if held and held.till > now then
	held.till = now + lease * 1000
	hold(r, ARGV[2], held)
	write(r)
	return held.token
end
if mode == 'p' then
	held = r.mode == 'p' and holding(r, ARGV[1])
	if not held or held.till <= now then
		return 0
	end
	redis.call('HDEL', r.key, ARGV[1])
	r.used = r.used - held.permits + permits
	held.permits, held.till = tonumber(permits), now + lease * 1000
	hold(r, ARGV[2], held)
	expire(r)
	advance(r)
	write(r)
	return held.token
end
if r.mode ~= 'x' or r.holder ~= ARGV[1] or r.till <= now then
	return 0
end
clear(r)
local token = nextToken({ r })
grant(r, ARGV[2], { mode = 's', permits = 1, limit = 0, version = 0, tokens = tonumber(ARGV[4]) }, token, lease)
advance(r)
write(r)
return token
