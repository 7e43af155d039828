-- Runs each command that the other scripts need on a key that only probes use, and leaves the key as it was.
--
-- Answer: the error messages of the commands that are rejected.

local rejected = {}
local function try(command, ...)
	local answer = redis.pcall(command, ...)
	if type(answer) == 'table' and answer.err then
		rejected[#rejected + 1] = command .. ': ' .. answer.err
		return nil
	end
	return answer
end

try('HSET', KEYS[1], '', '') -- the first write, which is rejected if the server is out of memory
try('HGET', KEYS[1], '')
try('HGETALL', KEYS[1])
try('EXISTS', KEYS[1])
local ttl = try('PTTL', KEYS[1]) or 0
try('PEXPIRE', KEYS[1], string.format('%.0f', ttl > 0 and ttl or 10000))
try('HDEL', KEYS[1], '')
try('TIME')
return rejected
