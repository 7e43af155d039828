-- Prolongs leases, each to its full lease time from now.
--
-- ARGV: owner, lease time and number of resources of each lease, in the order of KEYS.
-- Answer: for each lease 1 if it is held, else 0.

#include resource.lua

local function isHeld(r, owner)
	if r.mode == 'x' then
		return r.who == owner and r.till > now
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	return held and held.till > now
end

local function prolong(r, owner, lease)
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

local answer = {}
local key = 1
for i = 1, #ARGV, 3 do
	local owner, lease = ARGV[i], tonumber(ARGV[i + 1])
	local resources = {}
	local held = true
	for _ = 1, tonumber(ARGV[i + 2]) do
		local r = read(key)
		held = held and r and isHeld(r, owner)
		resources[#resources + 1] = r
		key = key + 1
	end
	if held then
		for _, r in ipairs(resources) do
			prolong(r, owner, lease)
		end
	end
	answer[#answer + 1] = held and 1 or 0
end
return answer
