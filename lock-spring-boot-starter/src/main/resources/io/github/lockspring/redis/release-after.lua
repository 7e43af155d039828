-- Gives leases back so that they end after a rest. Until then they belong to a former owner, whom nobody can be.
--
-- ARGV: owner; rest.
-- Answer: 1 if it held all of the resources until now, else 0.

#include resource.lua

local owner, rest = ARGV[1], tonumber(ARGV[2])
local former, till = owner .. '!', now + rest * 1000
local resources, failure = readAll()
if not resources then
	return refuse(failure)
end

local function retire(r)
	if r.mode == 'x' and r.who == owner then
		r.who, r.till = former, till
		return true
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	if held then
		redis.call('HDEL', r.key, owner)
		held.till = till
		hold(r, former, held)
		r.till = math.min(r.till, till)
		return true
	end
	return false
end

-- The one that waits longest looks again at how long that is.
local function hint(r)
	local first, entry = head(r)
	if first and entry.channel ~= '' then
		tell(first, entry)
	end
end

insist()
local held = 1
for _, r in ipairs(resources) do
	expire(r)
	if retire(r) then
		hint(r)
	else
		held = 0
		leave(r, owner)
		advance(r)
	end
	write(r)
end
return held
