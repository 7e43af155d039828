-- Keeps the queue entries of contenders, and returns the time after which they retry.
--
-- ARGV: the channel to which their process listens, or an empty text; the owner that waits for each of KEYS;
-- the lead of tokens, which may be missing.
-- Answer: the attempt id of the denials; for each contender the ms until a retry may succeed, or -1 if it should retry now:
-- it is admitted, holds the lease already, has no queue entry, its limit is superseded, or its process listens to another channel
-- than when it was queued.

#include resource.lua

-- Returns the time that remains to wait, and keeps the queue entry.
local function poll(r, owner)
	local entry = r and contender(r, owner)
	if not entry or entry.channel ~= ARGV[1] then
		return -1
	end
	expire(r)
	if isSuperseded(r, entry) then
		return -1
	end
	if not mustWait(r, owner, entry) then
		return -1
	end
	saveEntry(r, owner, entry)
	recall(r, entry.flags)
	return retryAfter(r, entry)
end

allowWrites()
local answer = { now }
for i = 1, count do
	local r = read(i)
	answer[i + 1] = poll(r, ARGV[i + 1])
	if r and r.changed then
		write(r)
	end
end
return answer
