#!lua name=evalfleet
-- version: 3
--
-- The queue between coordinator and workers, as Redis Functions. Each function is one atomic step
-- and can be sent again when its reply was lost: the second call finds the work done.
--
-- Redis holds only a window of the run, never its record: everything here can be rebuilt from the
-- coordinator's log. docs/design/queue.md tells the whole story; this page is the exact contract.
-- It goes on in audit.lua (the coordinator's repairs and the end of a run) and permits.lua (limits
-- of providers); the three are one library.
--
-- KEYS[1] of every function is the pool's base key, `ef:{<pool>}`. All other keys begin with it, so
-- that one hash tag, and in a cluster one slot, holds the whole pool:
--
--   <base>:runs          set     ids of the runs that are not finished
--   <base>:run:<r>       hash    state (run, pause, cancel, done), epoch, share, max_deliveries, spec
--                                (what a worker must know of the run, opaque here), vtime; its
--                                limits: max_in_flight, and for cost and tokens of its budget
--                                <x>_limit, <x>_base and <x>_per_byte (what is set aside for a job),
--                                <x>_spent, <x>_aside; held_back (it has jobs, but a limit is
--                                reached), ended (cost or tokens: the budget that is used up)
--   <base>:job:<r>       hash    index -> payload; a job is there as long as it is not finished
--   <base>:q:<r>         list    "index,since" of jobs that are ready to run; since: ms of the server's
--                                clock. Version 2 had the index alone: how long it waits is unknown
--   <base>:try:<r>       hash    index -> "attempt,deliveries,tries", from the first take on
--   <base>:fly:<r>       hash    index -> "cost,tokens" set aside for it, as long as it is leased
--   <base>:res:<r>       stream  results: fields i, a (attempt), k (kind: ok, dead), v (record or reason)
--   <base>:act           zset    runs with ready jobs -> virtual time (stride scheduling)
--   <base>:vtime         string  virtual time of the run served last
--   <base>:lease         zset    "<r>:<i>" -> expiry, ms of the server's clock
--   <base>:own           hash    "<r>:<i>" -> "<attempt>:<worker>"
--   <base>:dly           zset    "<r>:<i>" -> due, ms of the server's clock
--   <base>:workers       zset    worker -> last heartbeat, ms of the server's clock
--   <base>:card:<worker> string  what a worker says about itself, as JSON; written without a function,
--                                ends by itself some time after its last heartbeat
--   <base>:wake          list    at most one token; idle workers block on it
--
-- Run ids hold no colon. Indexes are decimal. Money is in billionths of a dollar. Errors in the call
-- itself are Redis errors.

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

-- Returns nil if the caller may act for the run, else the reply that says why not. FENCED: a later
-- epoch owns the run. NORUN: the caller must own it again, since Redis does not know it, or went back
-- to a time when an earlier epoch owned it.
local function refuse(base, run, epoch)
    local known = tonumber(redis.call('HGET', key(base, 'run', run), 'epoch') or '0')
    if known > tonumber(epoch) then return {'FENCED', tostring(known)} end
    if known < tonumber(epoch) then return {'NORUN'} end
    return nil
end

-- Puts a run among those that are served, not before those that have waited all the time.
local function activate(base, run)
    local known = redis.call('HMGET', key(base, 'run', run), 'state', 'ended')
    if known[1] ~= 'run' or known[2] then return end
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

local function ready_entry(index, since) return string.format('%s,%.0f', index, since) end

-- The index, and since when it is ready if that is known.
local function read_ready_entry(entry)
    local index, since = string.match(entry, '^(%d+),(%d+)$')
    if not index then return entry, nil end
    return index, tonumber(since)
end

local function make_ready(base, run, index, since, at_front)
    redis.call(at_front and 'LPUSH' or 'RPUSH', key(base, 'q', run), ready_entry(index, since))
    activate(base, run)
end

local function charge(base, run, cost, tokens)
    if cost ~= 0 then redis.call('HINCRBY', key(base, 'run', run), 'cost_spent', cost) end
    if tokens ~= 0 then redis.call('HINCRBY', key(base, 'run', run), 'tokens_spent', tokens) end
end

-- What a lease held is free again, and a run that waited for it is served again. The cost and tokens
-- that were set aside.
local function free_flight(base, run, index)
    local aside = redis.call('HGET', key(base, 'fly', run), index)
    if not aside then return 0, 0 end
    local run_key = key(base, 'run', run)
    redis.call('HDEL', key(base, 'fly', run), index)
    local cost, tokens = string.match(aside, '^(%d+),(%d+)$')
    cost, tokens = tonumber(cost), tonumber(tokens)
    if cost ~= 0 then redis.call('HINCRBY', run_key, 'cost_aside', -cost) end
    if tokens ~= 0 then redis.call('HINCRBY', run_key, 'tokens_aside', -tokens) end
    if redis.call('HDEL', run_key, 'held_back') == 1 then
        activate(base, run)
        wake(base)
    end
    return cost, tokens
end

local function forget_lease(base, ref)
    redis.call('ZREM', key(base, 'lease'), ref)
    redis.call('HDEL', key(base, 'own'), ref)
    return free_flight(base, split_ref(ref))
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
-- (LIMIT BASE PER_BYTE SPENT)]: a coordinator takes the run over.
-- SHARE: the run's part of the workers, relative to the other runs'. STATE: run, pause or cancel; a
-- run that is cancelled stays so. MAX_IN_FLIGHT: jobs leased at once, 0: any number. Then the budgets
-- of cost and of tokens: LIMIT 0 is none; BASE + PER_BYTE x the payload's bytes is set aside for a
-- job while it is leased; SPENT is what the coordinator's log amounts to.
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
    set_limits(run_key, args)
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
    local now = now_ms()
    local added = 0
    local answer = 'OK'
    for n = 4, #args, 2 do
        if outstanding >= max_jobs then
            answer = 'FULL'
            break
        end
        if redis.call('HSETNX', job_key, args[n], args[n + 1]) == 1 then
            redis.call('RPUSH', key(base, 'q', run), ready_entry(args[n], now))
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

-- A delayed job waits from the time on that it was due, whenever somebody comes for it.
local function promote_due(base, now)
    local due = redis.call('ZRANGEBYSCORE', key(base, 'dly'), '-inf', now, 'WITHSCORES',
                           'LIMIT', 0, PROMOTE_LIMIT)
    for n = 1, #due, 2 do
        redis.call('ZREM', key(base, 'dly'), due[n])
        local run, index = split_ref(due[n])
        if redis.call('HEXISTS', key(base, 'job', run), index) == 1 then
            make_ready(base, run, index, tonumber(due[n + 1]), true)
        end
    end
end

-- What a run is bounded by right now: how many more may fly, and for each budget what is left of it
-- and what a job takes. Empty for a run without limits of its own.
local function limits_of(base, run)
    local run_key = key(base, 'run', run)
    local limits = {room = math.huge, budgets = {}}
    local most = tonumber(redis.call('HGET', run_key, 'max_in_flight') or '0')
    if most > 0 then limits.room = math.max(0, most - redis.call('HLEN', key(base, 'fly', run))) end
    for _, budget in ipairs(BUDGETS) do
        local known = redis.call('HMGET', run_key, budget .. '_limit', budget .. '_spent',
                                 budget .. '_aside', budget .. '_base', budget .. '_per_byte')
        local limit = tonumber(known[1] or '0')
        if limit > 0 then
            limits.budgets[budget] = {
                left = limit - tonumber(known[2] or '0') - tonumber(known[3] or '0'),
                base = tonumber(known[4] or '0'), per_byte = tonumber(known[5] or '0'),
            }
        end
    end
    return limits
end

-- Sets aside what a job may need. The budget that does not allow it, or nil.
local function set_aside(base, run, index, bytes, limits)
    local needs = {cost = 0, tokens = 0}
    for name, budget in pairs(limits.budgets) do
        needs[name] = math.ceil(budget.base + budget.per_byte * bytes)
        if needs[name] > budget.left then return name end
    end
    for name, budget in pairs(limits.budgets) do
        budget.left = budget.left - needs[name]
        redis.call('HINCRBY', key(base, 'run', run), name .. '_aside', needs[name])
    end
    redis.call('HSET', key(base, 'fly', run), index,
               string.format('%.0f,%.0f', needs.cost, needs.tokens))
    return nil
end

-- The run is not served until something of it comes back. If nothing is out that could come back,
-- its budget is used up for good.
local function hold_back(base, run, budget)
    local run_key = key(base, 'run', run)
    redis.call('HSET', run_key, 'held_back', '1')
    if budget and redis.call('HLEN', key(base, 'fly', run)) == 0 then
        redis.call('HSET', run_key, 'ended', budget)
    end
    deactivate(base, run)
end

-- Takes up to `wanted` jobs of one run into `jobs`, for `taker`: worker, now, lease_until. How many it
-- took, how many it looked at, and the budget that stopped it.
local function take_from(base, run, wanted, taker, limits, jobs)
    local entries = redis.call('LPOP', key(base, 'q', run), wanted) or {}
    local taken = 0
    for n, entry in ipairs(entries) do
        local index, since = read_ready_entry(entry)
        local payload = redis.call('HGET', key(base, 'job', run), index)
        local ref = ref_of(run, index)
        -- Finished meanwhile, or in the list twice after a repair: nothing to do.
        if payload and not redis.call('ZSCORE', key(base, 'lease'), ref) then
            local over = set_aside(base, run, index, #payload, limits)
            if over then
                for back = #entries, n, -1 do
                    redis.call('LPUSH', key(base, 'q', run), entries[back])
                end
                return taken, n - 1, over
            end
            local attempt, deliveries, tries = read_try(base, run, index)
            attempt, deliveries = attempt + 1, deliveries + 1
            write_try(base, run, index, attempt, deliveries, tries)
            redis.call('ZADD', key(base, 'lease'), taker.lease_until, ref)
            redis.call('HSET', key(base, 'own'), ref, attempt .. ':' .. taker.worker)
            -- The server's clock may have been set back.
            local waited = since and math.max(0, taker.now - since) or false
            jobs[#jobs + 1] = {run, index, attempt, deliveries, tries, payload, waited}
            taken = taken + 1
        end
    end
    return taken, #entries, nil
end

-- One turn of the run that is next; it pays for what is taken with virtual time.
local function serve(base, run, vtime, most, taker, jobs)
    if state_of(base, run) ~= 'run' then return deactivate(base, run) end
    local limits = limits_of(base, run)
    local wanted = math.min(most, QUANTUM, limits.room)
    if wanted == 0 then return hold_back(base, run, nil) end
    local taken, seen, over = take_from(base, run, wanted, taker, limits, jobs)
    if taken > 0 then
        local share = tonumber(redis.call('HGET', key(base, 'run', run), 'share') or '1')
        redis.call('ZADD', key(base, 'act'), vtime + taken / share, run)
        redis.call('SET', key(base, 'vtime'), vtime)
    end
    if over then return hold_back(base, run, over) end
    if seen < wanted then deactivate(base, run) end
end

-- take WORKER COUNT LEASE_MS: up to COUNT jobs, fairly between the runs, none beyond a run's own
-- limits.
--   {wait_ms, {run, index, attempt, deliveries, tries, payload, waited_ms}...}
-- wait_ms: how long nothing new will come by itself: 0 if jobs are left, the time to the next delayed
-- job, or -1 if there is none.
-- waited_ms: how long the job was ready before it was taken: since it was enqueued, or came back, or
-- was due. nil if that is unknown.
local function take(keys, args)
    local base, count = keys[1], tonumber(args[2])
    local now = now_ms()
    local taker = {worker = args[1], now = now, lease_until = now + tonumber(args[3])}
    promote_due(base, now)
    local jobs = {}
    local act_key = key(base, 'act')
    while #jobs < count do
        local first = redis.call('ZRANGE', act_key, 0, 0, 'WITHSCORES')
        if #first == 0 then break end
        serve(base, first[1], tonumber(first[2]), count - #jobs, taker, jobs)
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

-- done RUN INDEX ATTEMPT RECORD [COST TOKENS]: a result, and what its calls took. Accepted whoever
-- held the job last, since the call was made and paid for; the coordinator keeps the first result of
-- a job and drops the others. A late one costs the run nothing more: its lease was charged when it
-- ran out, or its result was entered when it was first sent.
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
    if was_open then charge(base, run, tonumber(args[5] or '0'), tonumber(args[6] or '0')) end
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
    local now = now_ms()
    local released = 0
    for n = 2, #args, 3 do
        local run, index = args[n], args[n + 1]
        local ref = ref_of(run, index)
        if holds(base, ref, args[n + 2], worker) then
            local attempts, deliveries, tries = read_try(base, run, index)
            write_try(base, run, index, attempts, math.max(0, deliveries - 1), tries)
            forget_lease(base, ref)
            make_ready(base, run, index, now, true)
            released = released + 1
        end
    end
    if released > 0 then wake(base) end
    return released
end

redis.register_function('ef1_own', own)
redis.register_function('ef1_enq', enq)
redis.register_function('ef1_take', take)
redis.register_function('ef1_beat', beat)
redis.register_function('ef1_leave', leave)
redis.register_function('ef1_done', done)
redis.register_function('ef1_fail', fail)
redis.register_function('ef1_release', release)
