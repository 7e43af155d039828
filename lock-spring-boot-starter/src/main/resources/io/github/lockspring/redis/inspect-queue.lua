-- Returns the owners that wait for a resource, in the order of the queue, for its first 1000 positions.
--
-- Answer: the owners.

#include resource.lua

local r, failure = read(1)
if not r then
	return reject(failure)
end
local answer = {}
for position = r.first, math.min(r.next, r.first + 1000) - 1 do
	local owner = redis.call('HGET', r.key, string.format('%.0f', position))
	local entry = owner and contender(r, owner)
	if entry and now - entry.attemptId < ENTRY_LIFETIME then
		answer[#answer + 1] = owner
	end
end
return answer
