#!lua name=evalfleet
-- version: 1
--
-- The queue between coordinator and workers, as Redis Functions. Each function is one atomic step
-- and can be sent again when its reply was lost: the second call finds the work done.
--
-- Redis holds only a window of the run, never its record: everything here can be rebuilt from the
-- coordinator's log. docs/design/queue.md tells the whole story; this page is the exact contract.
--
-- KEYS[1] of every function is the pool's base key, `ef:{<pool>}`. All other keys begin with it, so
-- that one hash tag, and in a cluster one slot, holds the whole pool:
--
--   <base>:runs          set     ids of the runs that are not finished
--   <base>:run:<r>       hash    state (run, pause, cancel, done), epoch, share, max_deliveries, spec
--                                (what a worker must know of the run, opaque here), vtime
--   <base>:job:<r>       hash    index -> payload; a job is there as long as it is not finished
--   <base>:q:<r>         list    indexes that are ready to run
--   <base>:try:<r>       hash    index -> "attempt,deliveries,tries", from the first take on
--   <base>:res:<r>       stream  results: fields i, a (attempt), k (kind: ok, dead), v (record or reason)
--   <base>:act           zset    runs with ready jobs -> virtual time (stride scheduling)
--   <base>:vtime         string  virtual time of the run served last
--   <base>:lease         zset    "<r>:<i>" -> expiry, ms of the server's clock
--   <base>:own           hash    "<r>:<i>" -> "<attempt>:<worker>"
--   <base>:dly           zset    "<r>:<i>" -> due, ms of the server's clock
--   <base>:workers       zset    worker -> last heartbeat, ms of the server's clock
--   <base>:wake          list    at most one token; idle workers block on it
--
-- Run ids hold no colon. Indexes are decimal. Errors in the call itself are Redis errors.

local QUANTUM = 8            -- jobs taken from one run before the next run is looked at
local PROMOTE_LIMIT = 128    -- delayed jobs made ready in one call
local DONE_TTL_MS = 86400000 -- how long a finished run is remembered, so that late results are dropped
local LOST_TTL_MS = 3600000  -- how long results of an unknown run wait for its coordinator
local WORKER_TTL_MS = 60000  -- a worker silent for this long is forgotten

local function now_ms()
    local t = redis.call('TIME')
    return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end

local function key(base, kind, run)
    if run then return base .. ':' .. kind .. ':' .. run end
    return base .. ':' .. kind
end

local function ref_of(run, index) return run .. ':' .. index end

local function split_ref(ref)
    local colon = string.find(ref, ':', 1, true)
    return string.sub(ref, 1, colon - 1), string.sub(ref, colon + 1)
end

local function read_try(base, run, index)
    local text = redis.call('HGET', key(base, 'try', run), index)
    if not text then return 0, 0, 0 end
    local attempt, deliveries, tries = string.match(text, '^(%d+),(%d+),(%d+)$')
    return tonumber(attempt), tonumber(deliveries), tonumber(tries)
end

local function write_try(base, run, index, attempt, deliveries, tries)
    redis.call('HSET', key(base, 'try', run), index, attempt .. ',' .. deliveries .. ',' .. tries)
end

local function state_of(base, run) return redis.call('HGET', key(base, 'run', run), 'state') end

-- Returns nil if the caller may act for the run, else the reply that says why not.
local function refuse(base, run, epoch)
    local known = redis.call('HGET', key(base, 'run', run), 'epoch')
    if not known then return {'NORUN'} end
    if tonumber(known) ~= tonumber(epoch) then return {'FENCED', known} end
    return nil
end

-- Puts a run among those that are served, not before those that have waited all the time.
local function activate(base, run)
    if state_of(base, run) ~= 'run' then return end
    if redis.call('ZSCORE', key(base, 'act'), run) then return end
    local own = tonumber(redis.call('HGET', key(base, 'run', run), 'vtime') or '0')
    local first = redis.call('ZRANGE', key(base, 'act'), 0, 0, 'WITHSCORES')
    local floor = tonumber(first[2] or redis.call('GET', key(base, 'vtime')) or '0')
    redis.call('ZADD', key(base, 'act'), math.max(own, floor), run)
end

local function deactivate(base, run)
    local vtime = redis.call('ZSCORE', key(base, 'act'), run)
    if not vtime then return end
    redis.call('HSET', key(base, 'run', run), 'vtime', vtime)
    redis.call('ZREM', key(base, 'act'), run)
end

local function wake(base)
    if redis.call('LLEN', key(base, 'wake')) == 0 then redis.call('RPUSH', key(base, 'wake'), '1') end
end

local function make_ready(base, run, index, at_front)
    redis.call(at_front and 'LPUSH' or 'RPUSH', key(base, 'q', run), index)
    activate(base, run)
end

local function forget_lease(base, ref)
    redis.call('ZREM', key(base, 'lease'), ref)
    redis.call('HDEL', key(base, 'own'), ref)
end

local function forget_job(base, run, index)
    local ref = ref_of(run, index)
    forget_lease(base, ref)
    redis.call('ZREM', key(base, 'dly'), ref)
    redis.call('HDEL', key(base, 'try', run), index)
    return redis.call('HDEL', key(base, 'job', run), index)
end

local function add_result(base, run, index, attempt, kind, value)
    redis.call('XADD', key(base, 'res', run), '*', 'i', index, 'a', attempt, 'k', kind, 'v', value)
end

local function holds(base, ref, attempt, worker)
    return redis.call('HGET', key(base, 'own'), ref) == attempt .. ':' .. worker
end

-- own RUN EPOCH SHARE MAX_DELIVERIES STATE SPEC: a coordinator takes the run over.
-- SHARE: the run's part of the workers, relative to the other runs'. STATE: run, pause or cancel; a
-- run that is cancelled stays so.
--   {'OK'}              it is this epoch's now (also when it was already)
--   {'FENCED', epoch}   a later epoch owns it
--   {'DONE'}            the run is finished
local function own(keys, args)
    local base, run, epoch = keys[1], args[1], tonumber(args[2])
    local run_key = key(base, 'run', run)
    if state_of(base, run) == 'done' then return {'DONE'} end
    local known = tonumber(redis.call('HGET', run_key, 'epoch') or '0')
    if known > epoch then return {'FENCED', tostring(known)} end
    redis.call('HSET', run_key, 'epoch', epoch, 'share', args[3], 'max_deliveries', args[4],
               'spec', args[6])
    if redis.call('HGET', run_key, 'state') ~= 'cancel' then
        redis.call('HSET', run_key, 'state', args[5])
    end
    redis.call('SADD', key(base, 'runs'), run)
    redis.call('PERSIST', key(base, 'res', run))
    if state_of(base, run) == 'run' and redis.call('LLEN', key(base, 'q', run)) > 0 then
        activate(base, run)
        wake(base)
    end
    return {'OK'}
end

-- enq RUN EPOCH MAX_JOBS (INDEX PAYLOAD)...: jobs into the window. A job that is there already is left
-- as it is.
--   {'OK', added, outstanding}     all are in the window
--   {'FULL', added, outstanding}   the window is full; the jobs after the first `added` new ones and
--                                  those already there were not added
--   {'NORUN'} {'FENCED', epoch}    not ours
--   {'STATE', state}               the run takes no jobs: cancel or done
local function enq(keys, args)
    local base, run, max_jobs = keys[1], args[1], tonumber(args[3])
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local state = state_of(base, run)
    if state ~= 'run' and state ~= 'pause' then return {'STATE', state} end
    local job_key = key(base, 'job', run)
    local outstanding = redis.call('HLEN', job_key)
    local added = 0
    local answer = 'OK'
    for n = 4, #args, 2 do
        if outstanding >= max_jobs then
            answer = 'FULL'
            break
        end
        if redis.call('HSETNX', job_key, args[n], args[n + 1]) == 1 then
            redis.call('RPUSH', key(base, 'q', run), args[n])
            added = added + 1
            outstanding = outstanding + 1
        end
    end
    if added > 0 and state == 'run' then
        activate(base, run)
        wake(base)
    end
    return {answer, added, outstanding}
end

local function promote_due(base, now)
    local due = redis.call('ZRANGEBYSCORE', key(base, 'dly'), '-inf', now, 'LIMIT', 0, PROMOTE_LIMIT)
    for _, ref in ipairs(due) do
        redis.call('ZREM', key(base, 'dly'), ref)
        local run, index = split_ref(ref)
        if redis.call('HEXISTS', key(base, 'job', run), index) == 1 then
            make_ready(base, run, index, true)
        end
    end
end

-- Takes up to `wanted` jobs of one run into `jobs`; the run pays for them with virtual time.
local function take_from(base, run, wanted, lease_until, worker, jobs)
    local indexes = redis.call('LPOP', key(base, 'q', run), wanted) or {}
    local taken = 0
    for _, index in ipairs(indexes) do
        local payload = redis.call('HGET', key(base, 'job', run), index)
        local ref = ref_of(run, index)
        -- Finished meanwhile, or in the list twice after a repair: nothing to do.
        if payload and not redis.call('ZSCORE', key(base, 'lease'), ref) then
            local attempt, deliveries, tries = read_try(base, run, index)
            attempt, deliveries = attempt + 1, deliveries + 1
            write_try(base, run, index, attempt, deliveries, tries)
            redis.call('ZADD', key(base, 'lease'), lease_until, ref)
            redis.call('HSET', key(base, 'own'), ref, attempt .. ':' .. worker)
            jobs[#jobs + 1] = {run, index, attempt, deliveries, tries, payload}
            taken = taken + 1
        end
    end
    return taken, #indexes
end

-- take WORKER COUNT LEASE_MS: up to COUNT jobs, fairly between the runs.
--   {wait_ms, {run, index, attempt, deliveries, tries, payload}...}
-- wait_ms: how long nothing new will come by itself: 0 if jobs are left, the time to the next delayed
-- job, or -1 if there is none.
local function take(keys, args)
    local base, worker, count = keys[1], args[1], tonumber(args[2])
    local now = now_ms()
    promote_due(base, now)
    local jobs = {}
    local act_key = key(base, 'act')
    while #jobs < count do
        local first = redis.call('ZRANGE', act_key, 0, 0, 'WITHSCORES')
        if #first == 0 then break end
        local run, vtime = first[1], tonumber(first[2])
        local wanted = math.min(count - #jobs, QUANTUM)
        local taken, seen = 0, 0
        if state_of(base, run) == 'run' then
            taken, seen = take_from(base, run, wanted, now + tonumber(args[3]), worker, jobs)
        end
        if taken > 0 then
            local share = tonumber(redis.call('HGET', key(base, 'run', run), 'share') or '1')
            redis.call('ZADD', act_key, vtime + taken / share, run)
            redis.call('SET', key(base, 'vtime'), vtime)
        end
        if seen < wanted then deactivate(base, run) end
    end
    if redis.call('ZCARD', act_key) > 0 then
        wake(base)
        return {0, unpack(jobs)}
    end
    local next_due = redis.call('ZRANGE', key(base, 'dly'), 0, 0, 'WITHSCORES')
    if #next_due == 0 then return {-1, unpack(jobs)} end
    return {math.max(1, tonumber(next_due[2]) - now), unpack(jobs)}
end

-- beat WORKER LEASE_MS (RUN INDEX ATTEMPT)...: the worker lives and still holds these.
-- One word a job, in order:
--   OK       the lease is longer now
--   CANCEL   likewise, but the run was cancelled: stop if you can
--   LOST     the job is finished or someone else's: its result is still welcome, nothing else is
local function beat(keys, args)
    local base, worker = keys[1], args[1]
    local now = now_ms()
    redis.call('ZADD', key(base, 'workers'), now, worker)
    redis.call('ZREMRANGEBYSCORE', key(base, 'workers'), '-inf', now - WORKER_TTL_MS)
    local words = {}
    for n = 3, #args, 3 do
        local ref = ref_of(args[n], args[n + 1])
        local word = 'LOST'
        if holds(base, ref, args[n + 2], worker) then
            redis.call('ZADD', key(base, 'lease'), 'XX', now + tonumber(args[2]), ref)
            word = state_of(base, args[n]) == 'cancel' and 'CANCEL' or 'OK'
        end
        words[#words + 1] = word
    end
    return words
end

-- leave WORKER: the worker ends and is not waited for.
--   'OK'
local function leave(keys, args)
    redis.call('ZREM', key(keys[1], 'workers'), args[1])
    return redis.status_reply('OK')
end

-- done RUN INDEX ATTEMPT RECORD: a result. Accepted whoever held the job last, since the call was
-- made and paid for; the coordinator keeps the first result of a job and drops the others.
--   'OK'     the job is finished by this result
--   'LATE'   the job was gone (finished, or Redis lost it); the result is handed on all the same
--   'DROP'   the run is finished: nobody wants the result
local function done(keys, args)
    local base, run, index = keys[1], args[1], args[2]
    local state = state_of(base, run)
    if state == 'done' then
        forget_job(base, run, index)
        return redis.status_reply('DROP')
    end
    local was_open = forget_job(base, run, index) == 1
    add_result(base, run, index, args[3], 'ok', args[4])
    -- After a loss of data nobody may come for this run again: its results must not stay for ever.
    if not state then redis.call('PEXPIRE', key(base, 'res', run), LOST_TTL_MS) end
    return redis.status_reply(was_open and 'OK' or 'LATE')
end

-- fail WORKER RUN INDEX ATTEMPT DELAY_MS MAX_TRIES REASON: the worker could not do the job; it is
-- tried again later.
--   'RETRY'   it is delayed
--   'DEAD'    that was the last try; a result of kind dead with the reason is handed on
--   'LOST'    the job is finished or someone else's; nothing was changed
local function fail(keys, args)
    local base, worker, run, index, attempt = keys[1], args[1], args[2], args[3], args[4]
    local ref = ref_of(run, index)
    if not holds(base, ref, attempt, worker) then return redis.status_reply('LOST') end
    local attempts, deliveries, tries = read_try(base, run, index)
    tries = tries + 1
    if tries >= tonumber(args[6]) then
        forget_job(base, run, index)
        add_result(base, run, index, attempt, 'dead', args[7])
        return redis.status_reply('DEAD')
    end
    forget_lease(base, ref)
    write_try(base, run, index, attempts, deliveries, tries)
    redis.call('ZADD', key(base, 'dly'), now_ms() + tonumber(args[5]), ref)
    return redis.status_reply('RETRY')
end

-- release WORKER (RUN INDEX ATTEMPT)...: a worker that stops hands jobs back; they count as not
-- delivered.
--   count of those that were still its own
local function release(keys, args)
    local base, worker = keys[1], args[1]
    local released = 0
    for n = 2, #args, 3 do
        local run, index = args[n], args[n + 1]
        local ref = ref_of(run, index)
        if holds(base, ref, args[n + 2], worker) then
            local attempts, deliveries, tries = read_try(base, run, index)
            write_try(base, run, index, attempts, math.max(0, deliveries - 1), tries)
            forget_lease(base, ref)
            make_ready(base, run, index, true)
            released = released + 1
        end
    end
    if released > 0 then wake(base) end
    return released
end

-- reap LIMIT: ends leases that ran out: the job is ready again, or dead once it was delivered
-- max_deliveries times (it may be what kills the workers).
--   {requeued, dead}
local function reap(keys, args)
    local base = keys[1]
    local expired = redis.call('ZRANGEBYSCORE', key(base, 'lease'), '-inf', now_ms(), 'LIMIT', 0, args[1])
    local requeued, dead = 0, 0
    for _, ref in ipairs(expired) do
        local run, index = split_ref(ref)
        forget_lease(base, ref)
        if redis.call('HEXISTS', key(base, 'job', run), index) == 1 then
            local attempt, deliveries = read_try(base, run, index)
            local most = tonumber(redis.call('HGET', key(base, 'run', run), 'max_deliveries') or '5')
            if deliveries >= most then
                forget_job(base, run, index)
                add_result(base, run, index, attempt, 'dead',
                           'no worker finished it in ' .. deliveries .. ' deliveries')
                dead = dead + 1
            else
                make_ready(base, run, index, true)
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
    for _, index in ipairs(redis.call('LRANGE', key(base, 'q', run), 0, -1)) do ready[index] = true end
    local mended = 0
    for _, index in ipairs(redis.call('HKEYS', key(base, 'job', run))) do
        local ref = ref_of(run, index)
        if not ready[index] and not redis.call('ZSCORE', key(base, 'lease'), ref)
            and not redis.call('ZSCORE', key(base, 'dly'), ref) then
            make_ready(base, run, index, false)
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
        redis.call('UNLINK', key(base, 'job', run), key(base, 'try', run), key(base, 'res', run))
        redis.call('SREM', key(base, 'runs'), run)
        redis.call('PEXPIRE', key(base, 'run', run), DONE_TTL_MS)
    end
    return {'OK', old}
end

-- stats: the pool in numbers, without a scan of jobs.
--   {leased, delayed, workers, {run, outstanding, ready, results, state}...}
local function stats(keys, args)
    local base = keys[1]
    local answer = {
        redis.call('ZCARD', key(base, 'lease')),
        redis.call('ZCARD', key(base, 'dly')),
        redis.call('ZCOUNT', key(base, 'workers'), now_ms() - WORKER_TTL_MS, '+inf'),
    }
    for _, run in ipairs(redis.call('SMEMBERS', key(base, 'runs'))) do
        answer[#answer + 1] = {
            run,
            redis.call('HLEN', key(base, 'job', run)),
            redis.call('LLEN', key(base, 'q', run)),
            redis.call('XLEN', key(base, 'res', run)),
            state_of(base, run) or 'absent',
        }
    end
    return answer
end

redis.register_function('ef1_own', own)
redis.register_function('ef1_enq', enq)
redis.register_function('ef1_take', take)
redis.register_function('ef1_beat', beat)
redis.register_function('ef1_leave', leave)
redis.register_function('ef1_done', done)
redis.register_function('ef1_fail', fail)
redis.register_function('ef1_release', release)
redis.register_function('ef1_reap', reap)
redis.register_function('ef1_ack', ack)
redis.register_function('ef1_check', check)
redis.register_function('ef1_remove', remove)
redis.register_function('ef1_mend', mend)
redis.register_function('ef1_state', set_state)
redis.register_function('ef1_stats', stats)
