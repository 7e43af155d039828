-- Runs each command that the other scripts need on a key that only probes use, and leaves the key as it was.
--
-- ARGV: a channel that has no subscriber, unless the process receives no messages.
-- Answer: the error messages of the commands that are rejected.

local rejected = {}
local function note(command, answer)
	if type(answer) == 'table' and answer.err then
		rejected[#rejected + 1] = command .. ': ' .. answer.err
		return nil
	end
	return answer
end

note('HSET', redis.pcall('HSET', KEYS[1], '', '0')) -- the first write, which is rejected if the server is out of memory
note('HINCRBY', redis.pcall('HINCRBY', KEYS[1], '', 0))
note('HGET', redis.pcall('HGET', KEYS[1], ''))
note('HMGET', redis.pcall('HMGET', KEYS[1], ''))
note('HGETALL', redis.pcall('HGETALL', KEYS[1]))
note('HLEN', redis.pcall('HLEN', KEYS[1]))
note('EXISTS', redis.pcall('EXISTS', KEYS[1]))
local ttl = note('PTTL', redis.pcall('PTTL', KEYS[1])) or 0
note('PERSIST', redis.pcall('PERSIST', KEYS[1]))
note('PEXPIRE', redis.pcall('PEXPIRE', KEYS[1], string.format('%.0f', ttl > 0 and ttl or 10000)))
note('HDEL', redis.pcall('HDEL', KEYS[1], ''))
note('TIME', redis.pcall('TIME'))
if ARGV[1] then
	note('PUBLISH', redis.pcall('PUBLISH', ARGV[1], ''))
end
return rejected
