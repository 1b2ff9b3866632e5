
-- The list of functions.

local function register(name, callback) redis.register_function('ef1_' .. name, callback) end

-- Redis refuses a function at its memory limit unless it is marked so. If those that end jobs, fetch and
-- remove results, prolong leases or take a run over were refused, nothing could ever free memory again.
local function register_always(name, callback)
    redis.register_function{function_name = 'ef1_' .. name, callback = callback, flags = {'allow-oom'}}
end

register('enq', enq)
register('take', take)
register_always('own', own)
register_always('state', set_state)
register_always('stats', stats)
register_always('take_when_full', take_when_full)
register_always('begun', begun)
register_always('beat', beat)
register_always('done', done)
register_always('done_all', done_all)
register_always('fail', fail)
register_always('setback', setback)
register_always('release', release)
register_always('card', card)
register_always('workers', workers)
register_always('leave', leave)
register_always('reap', reap)
register_always('ack', ack)
register_always('check', check)
register_always('jobs', jobs)
register_always('remove', remove)
register_always('unheld', unheld)
register_always('mend', mend)
register_always('cut', cut)
register_always('permit', permit)
register_always('permits', permits)
