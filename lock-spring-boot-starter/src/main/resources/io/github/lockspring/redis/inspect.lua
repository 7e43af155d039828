-- Tells who holds a resource.
--
-- Answer: for each holder "<owner> <mode> <permits> <limit> <last token> <ms until it ends>".

#include resource.lua

local r = read(1)
if not r then
	return foreign()
end
local answer = {}
local function add(owner, permits, limit, token, till)
	if till > now then
		answer[#answer + 1] = string.format('%s %s %.0f %.0f %.0f %.0f', owner, r.mode, permits, limit, token,
				math.ceil((till - now) / 1000))
	end
end
if r.mode == 'x' then
	add(r.who, 0, 0, r.fence, r.till)
elseif r.mode ~= '-' then
	local details = redis.call('HGETALL', r.details)
	for i = 1, #details, 2 do
		local permits, till, token = string.match(details[i + 1], '^h (%d+) (%d+) (%d+)$')
		if permits then
			add(details[i], permits, r.limit, token, tonumber(till))
		end
	end
end
return answer
