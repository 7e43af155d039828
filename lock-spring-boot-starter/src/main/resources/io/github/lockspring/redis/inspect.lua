-- Returns the holders of a resource.
--
-- Answer: for each holder "<owner> <mode> <permits> <limit> <last token> <ms until it ends> <version of the limit>".

#include resource.lua

local r, failure = read(1)
if not r then
	return reject(failure)
end
local answer = {}
local function add(owner, permits, limit, token, till)
	if till > now then
		answer[#answer + 1] = string.format('%s %s %.0f %.0f %.0f %.0f %.0f', owner, r.mode, permits, limit, token,
				math.ceil((till - now) / 1000), r.version)
	end
end
if r.mode == 'x' then
	add(r.holder, 0, 0, r.fence, r.till)
elseif r.mode ~= '-' then
	local fields = redis.call('HGETALL', r.key)
	for i = 1, #fields, 2 do
		local permits, till, token = string.match(fields[i + 1], '^h (%d+) (%d+) (%d+)$')
		if permits then
			add(fields[i], permits, r.limit, token, tonumber(till))
		end
	end
end
return answer
