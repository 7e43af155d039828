-- Keeps the places of contenders, and tells how long they may have to wait.
--
-- ARGV: the channel to which their process listens, or an empty text; the owner that waits for each of KEYS.
-- Answer: the stamp of the denials; for each contender the ms until it may make sense to try again, or -1 if it should try now:
-- it is admitted, holds already, has no place, wants permits of another limit, or its process listens to another channel than
-- it said.

#include resource.lua

-- Answers what remains to be waited for, in a place that is kept.
local function poll(r, owner)
	local entry = r and contender(r, owner)
	if not entry or entry.channel ~= ARGV[1] then
		return -1
	end
	expire(r)
	if r.mode == 'p' and entry.mode == 'p' and r.limit ~= entry.limit then
		return -1
	end
	if admits(r, entry) and not mustQueue(r, owner, entry) then
		return -1
	end
	stay(r, owner, entry)
	return untilTry(r, entry)
end

insist()
local answer = { now }
for i = 1, #KEYS do
	local r = read(i)
	local record = r and recordOf(r)
	answer[i + 1] = poll(r, ARGV[i + 1])
	if r and recordOf(r) ~= record then
		write(r)
	end
end
return answer
