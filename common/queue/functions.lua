#!lua name=evalfleet
-- version: 4
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
--                                reached), ended (cost or tokens: the budget that is used up);
--                                needs (names of its providers, with spaces between them)
--   <base>:job:<r>       hash    index -> payload; a job is there as long as it is not finished
--   <base>:q:<r>         list    "index,since" of jobs that are ready to run; since: ms of the server's
--                                clock. Version 2 had the index alone: how long it waits is unknown
--   <base>:try:<r>       hash    index -> "attempt,deliveries,tries,begun,heard", from the first take
--                                on: hand-outs; those that began and were not heard of again; failures
--                                that were told; the last attempt that began; the last one whose end
--                                was told
--   <base>:past:<r>      hash    index -> "first,worker,past" of a job that was put back: when it was
--                                first attempted (ms of the server's clock), who put it back, and what
--                                the worker wants to be told next time (opaque here)
--   <base>:fly:<r>       hash    index -> "cost,tokens" set aside for it, as long as it is leased
--   <base>:res:<r>       stream  results: fields i, a (attempt), k (kind: ok, dead, note), v (record,
--                                reason, or what a worker says of a job that goes on)
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
local NOTES_LIMIT = 10000    -- results that wait, beyond which nothing is noted any more
local MOST_ATTEMPTS = 100    -- hand-outs of one job in a row that were not heard of again, begun or not
local ELSEWHERE_MS = 2000    -- for so long a job that was put back waits for another worker

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
    if not text then return {attempt = 0, deliveries = 0, tries = 0, begun = 0, heard = 0} end
    -- Version 3 had three numbers: there every hand-out counted as begun.
    local attempt, deliveries, tries, begun, heard =
        string.match(text, '^(%d+),(%d+),(%d+),?(%d*),?(%d*)$')
    return {
        attempt = tonumber(attempt), deliveries = tonumber(deliveries), tries = tonumber(tries),
        begun = tonumber(begun) or tonumber(attempt), heard = tonumber(heard) or 0,
    }
end

local function write_try(base, run, index, try)
    redis.call('HSET', key(base, 'try', run), index,
               string.format('%d,%d,%d,%d,%d', try.attempt, try.deliveries, try.tries, try.begun,
                             try.heard))
end

-- The worker told how this attempt ended: it is no delivery that was not heard of again.
local function uncount(try)
    if try.begun == try.attempt then try.deliveries = math.max(0, try.deliveries - 1) end
    try.begun = 0
    try.heard = try.attempt
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
    if redis.call('HDEL', key(base, 'try', run), index) == 1 then
        redis.call('HDEL', key(base, 'past', run), index)
    end
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
-- (LIMIT BASE PER_BYTE SPENT) [NEEDS]]: a coordinator takes the run over.
-- SHARE: the run's part of the workers, relative to the other runs'. STATE: run, pause or cancel; a
-- run that is cancelled stays so. MAX_IN_FLIGHT: jobs leased at once, 0: any number. Then the budgets
-- of cost and of tokens: LIMIT 0 is none; BASE + PER_BYTE x the payload's bytes is set aside for a
-- job while it is leased; SPENT is what the coordinator's log amounts to. NEEDS: the providers without
-- which no worker can do its jobs, with spaces between them.
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
               'spec', args[6], 'needs', args[16] or '')
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

local function read_past(base, run, index)
    local text = redis.call('HGET', key(base, 'past', run), index)
    if not text then return nil end
    local first, worker, past = string.match(text, '^(%d+),([^,]*),(.*)$')
    return {first = tonumber(first), worker = worker, past = past}
end

-- Leases one job to `taker`, and adds it to `jobs`.
local function lease(base, run, index, payload, since, try, past, taker, jobs)
    local ref = ref_of(run, index)
    try.attempt = try.attempt + 1
    write_try(base, run, index, try)
    redis.call('ZADD', key(base, 'lease'), taker.lease_until, ref)
    redis.call('HSET', key(base, 'own'), ref, try.attempt .. ':' .. taker.worker)
    -- The server's clock may have been set back.
    local waited = since and math.max(0, taker.now - since) or false
    jobs[#jobs + 1] = {
        run, index, try.attempt, try.deliveries + 1, try.tries, payload, waited,
        past and past.past or '', past and math.max(0, taker.now - past.first) or 0,
    }
end

-- Takes up to `wanted` jobs of one run into `jobs`, for `taker`: worker, now, lease_until, is_alone.
-- How many it took, and the budget that stopped it. A job that this worker put
-- back is left to another one for a while, if there is another one.
local function take_from(base, run, wanted, taker, limits, jobs)
    local entries = redis.call('LPOP', key(base, 'q', run), wanted) or {}
    local taken = 0
    taker.left_to_others = false
    for n, entry in ipairs(entries) do
        local index, since = read_ready_entry(entry)
        local payload = redis.call('HGET', key(base, 'job', run), index)
        -- Finished meanwhile, or in the list twice after a repair: nothing to do.
        if payload and not redis.call('ZSCORE', key(base, 'lease'), ref_of(run, index)) then
            local try = read_try(base, run, index)
            local past = try.attempt > 0 and read_past(base, run, index) or nil
            local is_elsewhere = past and past.worker == taker.worker and not taker.is_alone
                and since and taker.now - since < ELSEWHERE_MS
            if is_elsewhere then
                redis.call('RPUSH', key(base, 'q', run), entry)
                taker.left_to_others = true
            else
                local over = set_aside(base, run, index, #payload, limits)
                if over then
                    for back = #entries, n, -1 do
                        redis.call('LPUSH', key(base, 'q', run), entries[back])
                    end
                    return taken, over
                end
                lease(base, run, index, payload, since, try, past, taker, jobs)
                taken = taken + 1
            end
        end
    end
    return taken, nil
end

-- One turn of the run that is next; it pays for what is taken with virtual time. True if it may be
-- served again in this call.
local function serve(base, run, vtime, most, taker, jobs)
    if state_of(base, run) ~= 'run' then
        deactivate(base, run)
        return true
    end
    local limits = limits_of(base, run)
    local wanted = math.min(most, QUANTUM, limits.room)
    if wanted == 0 then
        hold_back(base, run, nil)
        return true
    end
    local taken, over = take_from(base, run, wanted, taker, limits, jobs)
    if taken > 0 then
        local share = tonumber(redis.call('HGET', key(base, 'run', run), 'share') or '1')
        redis.call('ZADD', key(base, 'act'), vtime + taken / share, run)
        redis.call('SET', key(base, 'vtime'), vtime)
    end
    if over then
        hold_back(base, run, over)
        return true
    end
    if redis.call('LLEN', key(base, 'q', run)) == 0 then
        deactivate(base, run)
        return true
    end
    return not taker.left_to_others
end

-- Does the worker have every provider that the run needs?
local function can_serve(base, run, providers)
    if not providers then return true end
    local needs = redis.call('HGET', key(base, 'run', run), 'needs') or ''
    for name in string.gmatch(needs, '%S+') do
        if not providers[name] then return false end
    end
    return true
end

-- take WORKER COUNT LEASE_MS [PROVIDERS]: up to COUNT jobs, fairly between the runs, none beyond a run's
-- own limits, and none of a run that needs another provider than PROVIDERS (names with spaces between
-- them; without the argument the worker has them all).
--   {wait_ms, {run, index, attempt, deliveries, tries, payload, waited_ms, past, age_ms}...}
-- wait_ms: how long nothing new will come by itself: 0 if jobs are left, the time to the next delayed
-- job, -1 if there is none, -2 if jobs are left but none for this worker.
-- deliveries: those that began and were not heard of again, and this one.
-- waited_ms: how long the job was ready before it was taken: since it was enqueued, or came back, or
-- was due. nil if that is unknown.
-- past, age_ms: what whoever put it back last said, and how long ago it was first attempted.
local function take(keys, args)
    local base, count = keys[1], tonumber(args[2])
    local now = now_ms()
    local taker = {
        worker = args[1], now = now, lease_until = now + tonumber(args[3]), left_to_others = false,
        is_alone = redis.call('ZCOUNT', key(base, 'workers'), now - WORKER_TTL_MS, '+inf') < 2,
    }
    local providers = nil
    if args[4] then
        providers = {}
        for name in string.gmatch(args[4], '%S+') do providers[name] = true end
    end
    promote_due(base, now)
    local jobs = {}
    local act_key = key(base, 'act')
    local passed_over = 0  -- runs at the front that are not for this worker, or not again
    while #jobs < count do
        local first = redis.call('ZRANGE', act_key, passed_over, passed_over, 'WITHSCORES')
        if #first == 0 then break end
        local may_go_on = can_serve(base, first[1], providers)
            and serve(base, first[1], tonumber(first[2]), count - #jobs, taker, jobs)
        if not may_go_on then passed_over = passed_over + 1 end
    end
    local left = redis.call('ZCARD', act_key)
    if left > 0 then wake(base) end
    if left > passed_over then return {0, unpack(jobs)} end
    if left > 0 then return {-2, unpack(jobs)} end
    local next_due = redis.call('ZRANGE', key(base, 'dly'), 0, 0, 'WITHSCORES')
    if #next_due == 0 then return {-1, unpack(jobs)} end
    return {math.max(1, tonumber(next_due[2]) - now), unpack(jobs)}
end

-- begun WORKER (RUN INDEX ATTEMPT)...: the first request of these jobs is on its way. If the worker is
-- not heard of again, that was a delivery.
--   count of those that are its own
local function begun(keys, args)
    local base, worker = keys[1], args[1]
    local own_jobs = 0
    for n = 2, #args, 3 do
        local run, index, attempt = args[n], args[n + 1], tonumber(args[n + 2])
        if holds(base, ref_of(run, index), attempt, worker) then
            local try = read_try(base, run, index)
            if try.begun ~= attempt then
                try.begun = attempt
                try.deliveries = try.deliveries + 1
                write_try(base, run, index, try)
            end
            own_jobs = own_jobs + 1
        end
    end
    return own_jobs
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
    redis.call('ZADD', key(base, 'dly'), now_ms() + tonumber(args[5]), ref)
    return redis.status_reply('RETRY')
end

-- setback WORKER RUN INDEX ATTEMPT DELAY_MS ELAPSED_MS PAST NOTE: infrastructure was in the way of the
-- job. It is put back and is due after DELAY_MS, on another worker if there is one; with a negative
-- DELAY_MS the worker keeps it. ELAPSED_MS: how long ago the worker began with it. PAST: what whoever
-- takes it next is told. NOTE: what the coordinator is told.
--   'RETRY'   it is delayed
--   'NOTED'   the worker keeps it
--   'LOST'    the job is finished or someone else's; nothing was changed
local function setback(keys, args)
    local base, worker, run, index, attempt = keys[1], args[1], args[2], args[3], args[4]
    local ref, delay = ref_of(run, index), tonumber(args[5])
    if not holds(base, ref, attempt, worker) then return redis.status_reply('LOST') end
    if redis.call('XLEN', key(base, 'res', run)) < NOTES_LIMIT then
        add_result(base, run, index, attempt, 'note', args[8])
    end
    if delay < 0 then return redis.status_reply('NOTED') end
    local now = now_ms()
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
    local now = now_ms()
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

redis.register_function('ef1_own', own)
redis.register_function('ef1_enq', enq)
redis.register_function('ef1_take', take)
redis.register_function('ef1_beat', beat)
redis.register_function('ef1_leave', leave)
redis.register_function('ef1_done', done)
redis.register_function('ef1_begun', begun)
redis.register_function('ef1_fail', fail)
redis.register_function('ef1_setback', setback)
redis.register_function('ef1_release', release)
