-- Keeps a recallable lease for its owner, which uses it. The head of the queue is notified to retry.
--
-- ARGV: owner.
-- Answer: 1 if the lease was recallable until now, else 0.

#include resource.lua

local r, failure = read(1)
if not r then
	return reject(failure)
end
if r.mode ~= 'x' or not r.recallable or r.holder ~= ARGV[1] then
	return 0
end
allowWrites()
r.recallable = false
hint(r)
write(r)
return 1
