-- Releases a resource that an owner holds.
-- Returns whether it held it until now.
local function release(r, owner)
	if r.mode == 'x' and r.holder == owner then
		local held = r.till > now
		clear(r)
		return held
	end
	local held = (r.mode == 's' or r.mode == 'p') and holding(r, owner)
	if held then
		redis.call('HDEL', r.key, owner)
		r.used = r.used - held.permits
		if r.used <= 0 then
			clear(r)
		end
		return held.till > now
	end
	return false
end
