
-- Looking after a run that is under way: ending leases, bringing results home, repairing what Redis
-- lost, and ending it. Part of the library that begins in functions.lua.

-- reap LIMIT: ends leases that ran out: the job is ready again, or dead once it began max_deliveries
-- times and was not heard of again (it may be what kills the workers). A hand-out that did not begin
-- costs nothing: its reply was lost, or it waited for a permit. If it began, its calls may have been
-- made: what was set aside counts as spent.
--   {requeued, dead}
local function reap(keys, args)
    local base = keys[1]
    local now = now_ms()
    local expired = redis.call('ZRANGEBYSCORE', key(base, 'lease'), '-inf', now, 'LIMIT', 0, args[1])
    local requeued, dead = 0, 0
    for _, ref in ipairs(expired) do
        local run, index = split_ref(ref)
        local try = read_try(base, run, index)
        local cost, tokens = forget_lease(base, ref)
        if try.begun == try.attempt then charge(base, run, cost, tokens) end
        if redis.call('HEXISTS', key(base, 'job', run), index) == 1 then
            local most = tonumber(redis.call('HGET', key(base, 'run', run), 'max_deliveries') or '5')
            if try.deliveries >= most or try.attempt - try.heard >= MOST_ATTEMPTS then
                forget_job(base, run, index)
                add_result(base, run, index, try.attempt, 'dead',
                           'no worker finished it in ' .. math.max(try.deliveries, 1) .. ' deliveries')
                dead = dead + 1
            else
                make_ready(base, run, index, now, true)
                requeued = requeued + 1
            end
        end
    end
    if requeued > 0 then wake(base) end
    return {requeued, dead}
end

-- ack RUN EPOCH ID...: results that are in the coordinator's log.
--   {'OK', removed} {'NORUN'} {'FENCED', epoch}
local function ack(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local removed = 0
    for n = 3, #args do removed = removed + redis.call('XDEL', key(base, 'res', run), args[n]) end
    return {'OK', removed}
end

-- check RUN EPOCH INDEX...: audit, what vanished.
--   {'OK', index...}   those of the indexes that are not in the window
--   {'NORUN'} {'FENCED', epoch}
local function check(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local absent = {'OK'}
    for n = 3, #args do
        if redis.call('HEXISTS', key(base, 'job', run), args[n]) == 0 then absent[#absent + 1] = args[n] end
    end
    return absent
end

-- remove RUN EPOCH INDEX...: audit, jobs that came back although they are in the log.
--   {'OK', removed} {'NORUN'} {'FENCED', epoch}
local function remove(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local removed = 0
    for n = 3, #args do removed = removed + forget_job(base, run, args[n]) end
    return {'OK', removed}
end

-- mend RUN EPOCH: audit, jobs that are in the window but neither ready, nor leased, nor delayed are
-- made ready. Costs a walk over the window.
--   {'OK', mended} {'NORUN'} {'FENCED', epoch}
local function mend(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local ready = {}
    for _, entry in ipairs(redis.call('LRANGE', key(base, 'q', run), 0, -1)) do
        ready[read_ready_entry(entry)] = true
    end
    local now = now_ms()
    local mended = 0
    for _, index in ipairs(redis.call('HKEYS', key(base, 'job', run))) do
        local ref = ref_of(run, index)
        if not ready[index] and not redis.call('ZSCORE', key(base, 'lease'), ref)
            and not redis.call('ZSCORE', key(base, 'dly'), ref) then
            make_ready(base, run, index, now, false)
            mended = mended + 1
        end
    end
    if mended > 0 then wake(base) end
    return {'OK', mended}
end

-- state RUN EPOCH STATE: run (resume), pause, cancel or done.
-- pause: no job is taken, those in flight go on. cancel: likewise, and workers are told to stop; what
-- waited is dropped. done: the run is over and everything of it is removed.
--   {'OK', old state} {'NORUN'} {'FENCED', epoch}
--   {'STATE', state}   a cancelled run does not go on
local function set_state(keys, args)
    local base, run, state = keys[1], args[1], args[3]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local old = state_of(base, run)
    if old == 'done' or (old == 'cancel' and state ~= 'done' and state ~= 'cancel') then
        return {'STATE', old}
    end
    redis.call('HSET', key(base, 'run', run), 'state', state)
    if state == 'run' then
        if redis.call('LLEN', key(base, 'q', run)) > 0 then
            activate(base, run)
            wake(base)
        end
        return {'OK', old}
    end
    deactivate(base, run)
    if state == 'cancel' or state == 'done' then redis.call('UNLINK', key(base, 'q', run)) end
    if state == 'done' then
        redis.call('UNLINK', key(base, 'job', run), key(base, 'try', run), key(base, 'past', run),
                   key(base, 'fly', run), key(base, 'res', run))
        redis.call('SREM', key(base, 'runs'), run)
        redis.call('HDEL', key(base, 'run', run), 'spec') -- holds the prompt's text
        redis.call('PEXPIRE', key(base, 'run', run), DONE_TTL_MS)
    end
    return {'OK', old}
end

-- stats: the pool in numbers, without a scan of jobs.
--   {leased, delayed, workers,
--    {run, outstanding, ready, results, state, leased, ended, cost_spent, tokens_spent}...}
-- ended: '' or the budget that is used up, cost or tokens.
local function stats(keys, args)
    local base = keys[1]
    local answer = {
        redis.call('ZCARD', key(base, 'lease')),
        redis.call('ZCARD', key(base, 'dly')),
        redis.call('ZCOUNT', key(base, 'workers'), now_ms() - WORKER_TTL_MS, '+inf'),
    }
    for _, run in ipairs(redis.call('SMEMBERS', key(base, 'runs'))) do
        local known = redis.call('HMGET', key(base, 'run', run), 'ended', 'cost_spent', 'tokens_spent')
        answer[#answer + 1] = {
            run,
            redis.call('HLEN', key(base, 'job', run)),
            redis.call('LLEN', key(base, 'q', run)),
            redis.call('XLEN', key(base, 'res', run)),
            state_of(base, run) or 'absent',
            redis.call('HLEN', key(base, 'fly', run)),
            known[1] or '', known[2] or '0', known[3] or '0',
        }
    end
    return answer
end

redis.register_function('ef1_reap', reap)
redis.register_function('ef1_ack', ack)
redis.register_function('ef1_check', check)
redis.register_function('ef1_remove', remove)
redis.register_function('ef1_mend', mend)
redis.register_function('ef1_state', set_state)
redis.register_function('ef1_stats', stats)
