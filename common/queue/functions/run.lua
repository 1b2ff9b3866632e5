
-- A run comes, its jobs come, and it goes.

local BUDGETS = {'cost', 'tokens'}

-- The run's own limits, out of the arguments of `own` from the 7th on. What was spent is never
-- lowered: Redis may know of results that the coordinator's log has not got yet.
local function set_limits(run_key, args)
    redis.call('HSET', run_key, 'max_in_flight', args[7] or '0')
    for n, budget in ipairs(BUDGETS) do
        local from = 8 + (n - 1) * 4
        local limit = args[from] or '0'
        if redis.call('HGET', run_key, budget .. '_limit') ~= limit then
            redis.call('HDEL', run_key, 'ended')
        end
        local spent = tonumber(redis.call('HGET', run_key, budget .. '_spent') or '0')
        redis.call('HSET', run_key, budget .. '_limit', limit, budget .. '_base', args[from + 1] or '0',
                   budget .. '_per_byte', args[from + 2] or '0',
                   budget .. '_spent', math.max(spent, tonumber(args[from + 3] or '0')))
    end
end

-- own RUN EPOCH SHARE MAX_DELIVERIES STATE SPEC [MAX_IN_FLIGHT (LIMIT BASE PER_BYTE SPENT)
-- (LIMIT BASE PER_BYTE SPENT) [NEEDS [OWNER]]]: a coordinator takes the run over.
-- SHARE: the run's part of the workers, relative to the other runs'. STATE: run, pause or cancel; a
-- run that is cancelled stays so for this epoch. MAX_IN_FLIGHT: jobs leased at once, 0: any number. Then the budgets
-- of cost and of tokens: LIMIT 0 is none; BASE + PER_BYTE x the payload's bytes is set aside for a
-- job while it is leased; SPENT is what the coordinator's log amounts to. NEEDS: the providers without
-- which no worker can do its jobs, with spaces between them. OWNER: the store that has the run.
--   {'OK'}              it is this epoch's now (also when it was already)
--   {'FENCED', epoch}   a later epoch owns it
--   {'DONE'}            the run was finished in this epoch or later
local function own(keys, args)
    local base, run, epoch = keys[1], args[1], tonumber(args[2])
    local run_key = key(base, 'run', run)
    local known = tonumber(redis.call('HGET', run_key, 'epoch') or '0')
    if known >= epoch and state_of(base, run) == 'done' then return {'DONE'} end
    if known > epoch then return {'FENCED', tostring(known)} end
    redis.call('HSET', run_key, 'epoch', epoch, 'share', args[3], 'max_deliveries', args[4],
               'spec', args[6], 'needs', args[16] or '', 'owner', args[17] or '')
    set_limits(run_key, args)
    -- Sent twice, it may be older than the cancellation. What a later opening of the run says is not.
    if redis.call('HGET', run_key, 'state') ~= 'cancel' or known < epoch then
        redis.call('HSET', run_key, 'state', args[5])
    end
    redis.call('SADD', key(base, 'runs'), run)
    redis.call('PERSIST', run_key) -- it may have been ended by mistake: the store is right
    redis.call('PERSIST', key(base, 'res', run))
    if state_of(base, run) == 'run' and redis.call('LLEN', key(base, 'q', run)) > 0 then
        activate(base, run)
        wake(base)
    end
    return {'OK'}
end

-- Keeps how long the longest payload of the run is, as long as that is known of all that are there.
local function note_largest(base, run, is_empty, largest)
    local run_key = key(base, 'run', run)
    local known = redis.call('HGET', run_key, 'largest')
    if not known and not is_empty then return end
    if not known or largest > tonumber(known) then redis.call('HSET', run_key, 'largest', largest) end
end

-- Adds jobs that are not there yet, as many as there is room for: how many were added, and whether all
-- are there now. Some hundreds at most.
local function add_jobs(base, run, args, from, upto, room)
    local job_key, now = key(base, 'job', run), now_ms(base)
    local indexes = {}
    for n = from, upto, 2 do indexes[#indexes + 1] = args[n] end
    local known = redis.call('HMGET', job_key, unpack(indexes))
    local added, fields, ready, named, largest = 0, {}, {}, {}, 0
    local has_all = true
    for n, index in ipairs(indexes) do
        if added >= room then
            has_all = false
            break
        end
        if not known[n] and not named[index] then
            local payload = args[from + 2 * n - 1]
            named[index] = true
            added = added + 1
            fields[2 * added - 1], fields[2 * added] = index, payload
            ready[added] = ready_entry(index, now)
            if #payload > largest then largest = #payload end
        end
    end
    if added > 0 then
        note_largest(base, run, redis.call('EXISTS', job_key) == 0, largest)
        redis.call('HSET', job_key, unpack(fields))
        redis.call('RPUSH', key(base, 'q', run), unpack(ready))
    end
    return added, has_all
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
    local before = redis.call('HLEN', key(base, 'job', run))
    local added, answer = 0, 'OK'
    for from = 4, #args, MANY do
        local more, has_all = add_jobs(base, run, args, from, math.min(from + MANY - 1, #args),
                                       max_jobs - before - added)
        added = added + more
        if not has_all then
            answer = 'FULL'
            break
        end
    end
    if added > 0 and state == 'run' then
        activate(base, run)
        wake(base)
    end
    return {answer, added, before + added}
end

-- state RUN EPOCH STATE: run (resume), pause, cancel or done.
-- pause: no job is taken, those in flight go on. cancel: likewise, and workers are told to stop; what
-- waited is dropped. done: the run is over and everything of it is removed.
--   {'OK', old state, waiting}   waiting: jobs that were ready to be handed out, just before
--   {'NORUN'} {'FENCED', epoch}
--   {'STATE', state}   a cancelled run does not go on
local function set_state(keys, args)
    local base, run, state = keys[1], args[1], args[3]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local old = state_of(base, run)
    if old == 'done' or (old == 'cancel' and state ~= 'done' and state ~= 'cancel') then
        return {'STATE', old}
    end
    local answer = {'OK', old, redis.call('LLEN', key(base, 'q', run))}
    redis.call('HSET', key(base, 'run', run), 'state', state)
    if state == 'run' then
        if redis.call('LLEN', key(base, 'q', run)) > 0 then
            activate(base, run)
            wake(base)
        end
        return answer
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
    return answer
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
        redis.call('ZCOUNT', key(base, 'workers'), now_ms(base) - WORKER_TTL_MS, '+inf'),
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
