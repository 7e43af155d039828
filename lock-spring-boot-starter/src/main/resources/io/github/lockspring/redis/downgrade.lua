-- Downgrades an exclusive lease to a shared one.
--
-- ARGV: owner of the exclusive lease, owner of the shared lease, lease time, tokens.
-- Answer: the token if granted for the lease time, or 0 if the exclusive lease has ended.

#include resource.lua

local r, failure = read(1)
if not r then
	return refuse(failure)
end
allowWrites()
local lease = tonumber(ARGV[3])
local held = r.mode == 's' and holding(r, ARGV[2])
if held and held.till > now then
	held.till = now + lease * 1000
	hold(r, ARGV[2], held)
	write(r)
	return held.token
end
if r.mode ~= 'x' or r.who ~= ARGV[1] or r.till <= now then
	return 0
end
free(r)
local token = nextToken({ r })
grant(r, ARGV[2], { mode = 's', permits = 1, limit = 0, tokens = tonumber(ARGV[4]) }, token, lease)
advance(r)
write(r)
return token
