-- Returns the owners that wait for a resource, in the order of the queue: the first 1000 places of it.
--
-- Answer: the owners.

#include resource.lua

local r, failure = read(1)
if not r then
	return refuse(failure)
end
local answer = {}
for place = r.first, math.min(r.next, r.first + 1000) - 1 do
	local owner = redis.call('HGET', r.key, string.format('%.0f', place))
	local entry = owner and contender(r, owner)
	if entry and now - entry.stamp < PLACE then
		answer[#answer + 1] = owner
	end
end
return answer
