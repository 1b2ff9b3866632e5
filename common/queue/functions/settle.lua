
-- Jobs that were handed out begin, go on and end; workers come and go.

-- Enters that these jobs of a run, as {index, attempt}, have begun; some hundreds at most. How many are
-- the worker's own.
local function begin_jobs(base, run, jobs, worker)
    local refs, indexes = {}, {}
    for n, job in ipairs(jobs) do refs[n], indexes[n] = ref_of(run, job.index), job.index end
    local is_over = state_of(base, run) == 'done'
    local owners = redis.call('HMGET', key(base, 'own'), unpack(refs))
    local tries = redis.call('HMGET', key(base, 'try', run), unpack(indexes))
    local own_jobs, written = 0, {}
    for n, job in ipairs(jobs) do
        local is_own = owners[n] == job.attempt .. ':' .. worker
        local try = parse_try(tries[n])
        if is_own and is_over then
            forget_lease(base, refs[n])
        elseif is_own then
            own_jobs = own_jobs + 1
            if try.begun ~= job.attempt then
                try.begun = job.attempt
                try.deliveries = try.deliveries + 1
                written[#written + 1] = job.index
                written[#written + 1] = format_try(try)
            end
        end
    end
    if #written > 0 then redis.call('HSET', key(base, 'try', run), unpack(written)) end
    return own_jobs
end

-- begun WORKER (RUN INDEX ATTEMPT)...: the first request of these jobs is on its way. If the worker is
-- not heard of again, that was a delivery.
--   count of those that are its own
local function begun(keys, args)
    local own_jobs, by_run = 0, {}
    for n = 2, #args, 3 do
        local run = args[n]
        local jobs = by_run[run] or {}
        by_run[run] = jobs
        table.insert(jobs, {index = args[n + 1], attempt = tonumber(args[n + 2])})
        if #jobs == MANY then
            own_jobs = own_jobs + begin_jobs(keys[1], run, jobs, args[1])
            by_run[run] = nil
        end
    end
    for run, jobs in pairs(by_run) do own_jobs = own_jobs + begin_jobs(keys[1], run, jobs, args[1]) end
    return own_jobs
end

-- Prolongs leases of one run, of `jobs` as {index, attempt, place}; some hundreds at most. Enters for
-- each, at its place in `words`, what became of it.
local function beat_jobs(base, run, jobs, worker, lease_until, words)
    local state, refs, leases = state_of(base, run), {}, {}
    for n, job in ipairs(jobs) do refs[n] = ref_of(run, job.index) end
    local owners = redis.call('HMGET', key(base, 'own'), unpack(refs))
    for n, job in ipairs(jobs) do
        local is_own = owners[n] == job.attempt .. ':' .. worker
        if state == 'done' then
            if is_own then forget_lease(base, refs[n]) end
            words[job.place] = 'CANCEL'
        elseif is_own then
            leases[#leases + 1] = lease_until
            leases[#leases + 1] = refs[n]
            words[job.place] = state == 'cancel' and 'CANCEL' or 'OK'
        else
            words[job.place] = 'LOST'
        end
    end
    if #leases > 0 then redis.call('ZADD', key(base, 'lease'), 'XX', unpack(leases)) end
end

-- beat WORKER LEASE_MS (RUN INDEX ATTEMPT)...: the worker lives and still holds these; some hundreds.
-- One word a job, in order:
--   OK       the lease is longer now
--   CANCEL   the run was cancelled, and the lease is longer now, or it is over: stop if you can
--   LOST     the job is finished or someone else's: its result is still welcome, nothing else is
local function beat(keys, args)
    local base, worker = keys[1], args[1]
    local now = now_ms(base)
    redis.call('ZADD', key(base, 'workers'), now, worker)
    redis.call('ZREMRANGEBYSCORE', key(base, 'workers'), '-inf', now - WORKER_TTL_MS)
    local words, by_run = {}, {}
    for n = 3, #args, 3 do
        local run, place = args[n], n / 3
        words[place] = ''
        by_run[run] = by_run[run] or {}
        table.insert(by_run[run], {index = args[n + 1], attempt = args[n + 2], place = place})
    end
    for run, jobs in pairs(by_run) do
        beat_jobs(base, run, jobs, worker, now + tonumber(args[2]), words)
    end
    return words
end

-- card WORKER LIFETIME_MS TEXT: what a worker says of itself, for so long.
--   'OK'
local function card(keys, args)
    redis.call('SET', key(keys[1], 'card', args[1]), args[3], 'PX', args[2])
    return redis.status_reply('OK')
end

-- workers LIMIT: those that sent a heartbeat of late, LIMIT of them at most.
--   {{worker, age_ms of the heartbeat, card or ''}...}
local function workers(keys, args)
    local base = keys[1]
    local now = now_ms(base)
    local beats = redis.call('ZRANGEBYSCORE', key(base, 'workers'), now - WORKER_TTL_MS, '+inf',
                             'WITHSCORES', 'LIMIT', 0, args[1])
    local answer = {}
    for n = 1, #beats, 2 do
        answer[#answer + 1] = {
            beats[n], math.max(0, now - tonumber(beats[n + 1])),
            redis.call('GET', key(base, 'card', beats[n])) or '',
        }
    end
    return answer
end

-- leave WORKER: the worker ends and is not waited for.
--   'OK'
local function leave(keys, args)
    redis.call('ZREM', key(keys[1], 'workers'), args[1])
    return redis.status_reply('OK')
end

-- The results of one run, as `done_all` has them: {index, attempt, record, cost, tokens, place}. Enters
-- for each, at its place in `words`, what became of it.
local function finish(base, run, results, words)
    local state = state_of(base, run)
    local indexes, named = {}, {}
    for _, result in ipairs(results) do
        if not named[result.index] then indexes[#indexes + 1] = result.index end
        named[result.index] = true
    end
    local were_open = forget_jobs(base, run, indexes)
    local cost, tokens = 0, 0
    for _, result in ipairs(results) do
        if state == 'done' then
            words[result.place] = 'DROP'
        else
            words[result.place] = were_open[result.index] and 'OK' or 'LATE'
            if were_open[result.index] then cost, tokens = cost + result.cost, tokens + result.tokens end
            were_open[result.index] = nil
            add_result(base, run, result.index, result.attempt, 'ok', result.record)
        end
    end
    charge(base, run, cost, tokens)
    -- After a loss of data nobody may come for this run again: its results must not stay for ever.
    if not state then redis.call('PEXPIRE', key(base, 'res', run), LOST_TTL_MS) end
end

-- done_all (RUN INDEX ATTEMPT RECORD COST TOKENS)...: results, and what their calls took; a hundred or so
-- at a time. Accepted whoever held the job last, since the call was made and paid for; the coordinator
-- keeps the first result of a job and drops the others. A late one costs the run nothing more: its lease
-- was charged when it ran out, or its result was entered when it was first sent.
-- One word a result, in order:
--   OK     the job is finished by this result
--   LATE   the job was gone (finished, or Redis lost it); the result is handed on all the same
--   DROP   the run is finished: nobody wants the result
local function done_all(keys, args)
    local words, by_run, runs = {}, {}, {}
    for n = 1, #args, 6 do
        local run = args[n]
        if not by_run[run] then
            by_run[run] = {}
            runs[#runs + 1] = run
        end
        local place = (n + 5) / 6
        words[place] = ''
        table.insert(by_run[run], {
            index = args[n + 1], attempt = args[n + 2], record = args[n + 3],
            cost = tonumber(args[n + 4] or '0'), tokens = tonumber(args[n + 5] or '0'), place = place,
        })
    end
    for _, run in ipairs(runs) do finish(keys[1], run, by_run[run], words) end
    return words
end

-- done RUN INDEX ATTEMPT RECORD [COST TOKENS]: as done_all, for programs before version 7.
--   'OK' 'LATE' 'DROP'
local function done(keys, args) return redis.status_reply(done_all(keys, args)[1]) end

-- fail WORKER RUN INDEX ATTEMPT DELAY_MS MAX_TRIES REASON: the worker could not do the job; it is
-- tried again later.
--   'RETRY'   it is delayed
--   'DEAD'    that was the last try; a result of kind dead with the reason is handed on
--   'LOST'    the job is finished or someone else's; nothing was changed
local function fail(keys, args)
    local base, worker, run, index, attempt = keys[1], args[1], args[2], args[3], args[4]
    local ref = ref_of(run, index)
    if not holds(base, ref, attempt, worker) then return redis.status_reply('LOST') end
    local try = read_try(base, run, index)
    try.tries = try.tries + 1
    if try.tries >= tonumber(args[6]) then
        forget_job(base, run, index)
        add_result(base, run, index, attempt, 'dead', args[7])
        return redis.status_reply('DEAD')
    end
    forget_lease(base, ref)
    uncount(try)
    write_try(base, run, index, try)
    redis.call('ZADD', key(base, 'dly'), now_ms(base) + tonumber(args[5]), ref)
    return redis.status_reply('RETRY')
end

-- setback WORKER RUN INDEX ATTEMPT DELAY_MS ELAPSED_MS PAST NOTE: infrastructure was in the way of the
-- job. It is put back and is due after DELAY_MS, on another worker if there is one; with a negative
-- DELAY_MS the worker keeps it. ELAPSED_MS: how long ago the worker began with it. PAST: what whoever
-- takes it next is told. NOTE: what the coordinator is told.
--   'RETRY'   it is delayed
--   'NOTED'   the worker keeps it
--   'PAUSED'  likewise, but its run does not go on: it may as well be handed back
--   'LOST'    the job is finished or someone else's; nothing was changed
local function setback(keys, args)
    local base, worker, run, index, attempt = keys[1], args[1], args[2], args[3], args[4]
    local ref, delay = ref_of(run, index), tonumber(args[5])
    if not holds(base, ref, attempt, worker) then return redis.status_reply('LOST') end
    if redis.call('XLEN', key(base, 'res', run)) < NOTES_LIMIT then
        add_result(base, run, index, attempt, 'note', args[8])
    end
    if delay < 0 then
        return redis.status_reply(state_of(base, run) == 'run' and 'NOTED' or 'PAUSED')
    end
    local now = now_ms(base)
    local known = read_past(base, run, index)
    local first = known and known.first or now - tonumber(args[6])
    redis.call('HSET', key(base, 'past', run), index,
               string.format('%.0f,%s,%s', math.max(0, first), worker, args[7]))
    forget_lease(base, ref)
    local try = read_try(base, run, index)
    uncount(try)
    write_try(base, run, index, try)
    redis.call('ZADD', key(base, 'dly'), now + delay, ref)
    return redis.status_reply('RETRY')
end

-- release WORKER (RUN INDEX ATTEMPT)...: a worker that stops hands jobs back; they count as not
-- delivered.
--   count of those that were still its own
local function release(keys, args)
    local base, worker = keys[1], args[1]
    local now = now_ms(base)
    local released = 0
    for n = 2, #args, 3 do
        local run, index = args[n], args[n + 1]
        local ref = ref_of(run, index)
        if holds(base, ref, args[n + 2], worker) then
            local try = read_try(base, run, index)
            uncount(try)
            write_try(base, run, index, try)
            forget_lease(base, ref)
            make_ready(base, run, index, now, true)
            released = released + 1
        end
    end
    if released > 0 then wake(base) end
    return released
end

-- reap LIMIT: ends leases that ran out: the job is ready again, or dead once it began max_deliveries
-- times and was not heard of again (it may be what kills the workers). A hand-out that did not begin
-- costs nothing: its reply was lost, or it waited for a permit. If it began, its calls may have been
-- made: what was set aside counts as spent.
--   {requeued, dead}
local function reap(keys, args)
    local base = keys[1]
    local now = now_ms(base)
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
