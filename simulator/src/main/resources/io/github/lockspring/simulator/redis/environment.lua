-- What scripts find in Redis: the functions of Lua that they may use, and those of the table redis.
--
-- Arguments: the function that runs a command.
-- Returns the function that runs a script, and returns whether it succeeded and its answer.

local invoke = ...

local environment = {}
for _, name in ipairs({ 'assert', 'error', 'getmetatable', 'ipairs', 'math', 'next', 'pairs', 'pcall', 'rawequal', 'rawget', 'rawset',
	'select', 'setmetatable', 'string', 'table', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall' }) do
	environment[name] = _G[name]
end

-- Adds the line of the script that failed to an error.
local function locate(failure)
	if type(failure) ~= 'table' then
		failure = { err = 'ERR ' .. tostring(failure) }
	end
	local level, caller = 1
	repeat
		level = level + 1
		caller = debug.getinfo(level, 'Sl')
	until not caller or caller.source == '@user_script'
	if caller then
		failure.source, failure.line = caller.source, tostring(caller.currentline)
	end
	return failure
end

local redis = {}

function redis.call(...)
	local answer = invoke(...)
	if type(answer) == 'table' and answer.err then
		error(answer)
	end
	return answer
end

function redis.pcall(...)
	return invoke(...)
end

function redis.error_reply(text)
	if type(text) ~= 'string' then
		return { err = 'ERR wrong number or type of arguments' }
	end
	return { err = (string.gsub(text, '^%-', '')) }
end

function redis.status_reply(text)
	return type(text) == 'string' and { ok = text } or { err = 'ERR wrong number or type of arguments' }
end

environment._G, environment.redis = environment, redis
setmetatable(environment, {
	__index = function(_, name)
		error('Script attempted to access nonexistent global variable \'' .. tostring(name) .. '\'', 2)
	end,
	__newindex = function()
		error('Attempt to modify a readonly table', 2)
	end,
})

return function(script, keys, args)
	rawset(environment, 'KEYS', keys)
	rawset(environment, 'ARGV', args)
	return xpcall(setfenv(script, environment), locate)
end
