-- Releases a resource for its holder, and notifies the process of the holder.
--
-- ARGV: owner; the channel to which its process listens; the message.
-- Answer: 1 if it held the resource until now, else 0.

#include resource.lua

#include holder.lua

local owner, channel, message = ARGV[1], ARGV[2], ARGV[3]
local r, failure = read(1)
if not r then
	return reject(failure)
end
allowWrites()
local held = release(r, owner)
if held then
	redis.pcall('PUBLISH', channel, message)
end
expire(r)
advance(r)
write(r)
return held and 1 or 0
