#!lua name=evalfleet
-- version: 9
-- serves: 4
--
-- The queue between coordinator and workers, as Redis Functions. Each function is one atomic step
-- and can be sent again when its reply was lost: the second call finds the work done.
--
-- Redis holds only a window of the run, never its record: everything here can be rebuilt from the
-- coordinator's log. docs/design/queue.md tells the whole story; these pages are the exact contract.
-- They are one library, put together in this order: base.lua (keys, clock, what all steps share),
-- run.lua (a run and its jobs come and go), take.lua (jobs are handed out), settle.lua (they end),
-- audit.lua (results are brought home, and the coordinator repairs), permits.lua (limits of providers),
-- register.lua (the list of functions).
--
-- While a fleet is upgraded, programs of several versions use one library, the newest. `serves` names
-- the oldest version whose programs this one serves: for them, arguments are only added at the end,
-- answers keep their shape, and what they stored is read. A change that breaks this raises `serves` to
-- its own version and changes the prefix of all functions (`ef1_`), so that an older program cannot
-- call what it would misunderstand: it finds no function, and then says that it is to be upgraded.
--
-- KEYS[1] of every function is the pool's base key, `ef:{<pool>}`. All other keys begin with it, so
-- that one hash tag, and in a cluster one slot, holds the whole pool:
--
--   <base>:clock         hash    now, wall: the queue's time, and the server's clock at that time
--   <base>:runs          set     ids of the runs that are not finished
--   <base>:run:<r>       hash    state (run, pause, cancel, done), epoch, share, max_deliveries, spec
--                                (what a worker must know of the run, opaque here), vtime; its
--                                limits: max_in_flight, and for cost and tokens of its budget
--                                <x>_limit, <x>_base and <x>_per_byte (what is set aside for a job),
--                                <x>_spent, <x>_aside; held_back (it has jobs, but a limit is
--                                reached), ended (cost or tokens: the budget that is used up);
--                                needs (names of its providers, with spaces between them); owner
--                                (the id of the store that has the run); largest (bytes of the
--                                longest payload that came; without it that is unknown, since some came
--                                before it was kept). Once it is done, only this is left of it, for
--                                DONE_TTL_MS
--   <base>:job:<r>       hash    index -> payload; a job is there as long as it is not finished
--   <base>:q:<r>         list    "index,since" of jobs that are ready to run; since: ms of the server's
--                                clock. Version 2 had the index alone: how long it waits is unknown
--   <base>:try:<r>       hash    index -> "attempt,deliveries,tries,begun,heard", from the first take
--                                on: hand-outs; those that began and were not heard of again; failures
--                                that were told; the last attempt that began; the last one whose end
--                                was told
--   <base>:past:<r>      hash    index -> "first,worker,past" of a job that was put back: when it was
--                                first attempted (ms of the queue's time), who put it back, and what
--                                the worker wants to be told next time (opaque here)
--   <base>:fly:<r>       hash    index -> "cost,tokens" set aside for it, as long as it is leased
--   <base>:res:<r>       stream  results: fields i, a (attempt), k (kind: ok, dead, note), v (record,
--                                reason, or what a worker says of a job that goes on)
--   <base>:act           zset    runs with ready jobs -> virtual time (stride scheduling)
--   <base>:vtime         string  virtual time of the run served last
--   <base>:lease         zset    "<r>:<i>" -> expiry, ms of the queue's time
--   <base>:own           hash    "<r>:<i>" -> "<attempt>:<worker>"
--   <base>:dly           zset    "<r>:<i>" -> due, ms of the queue's time
--   <base>:workers       zset    worker -> last heartbeat, ms of the queue's time
--   <base>:card:<worker> string  what a worker says about itself, as JSON; written without a function,
--                                ends by itself some time after its last heartbeat
--   <base>:wake          list    at most one token; idle workers block on it
--
-- The queue's time is the server's clock without its steps, see now_ms. Run ids hold no colon. Indexes
-- are decimal. Money is in billionths of a dollar. Errors in the call itself are Redis errors.

local QUANTUM = 8            -- jobs taken from one run before the next run is looked at;
local LARGE_QUANTUM = 128    -- if there is no other run, what one call looks up together
local PROMOTE_LIMIT = 128    -- delayed jobs made ready in one call
local DONE_TTL_MS = 86400000 -- how long a finished run is remembered, so that late results are dropped
local LOST_TTL_MS = 3600000  -- how long results of an unknown run wait for its coordinator
local WORKER_TTL_MS = 60000  -- a worker silent for this long is forgotten
local NOTES_LIMIT = 10000    -- results that wait, beyond which nothing is noted any more
local MOST_ATTEMPTS = 100    -- hand-outs of one job in a row that were not heard of again, begun or not
local ELSEWHERE_MS = 2000    -- for so long a job that was put back waits for another worker
local TAKE_BYTES = 8388608   -- payloads in one answer; one larger job goes alone
local STEP_MS = 5000         -- the clock's steps and silences longer than this are no time that passed
local TICK_MS = 100          -- how often the time is written down
local MANY = 1000            -- arguments that are handed to Redis at once
local FIRST_TRY = '1,0,0,0,0' -- what most jobs have as long as they are out
local NOTHING_ASIDE = '0,0'   -- set aside for a job of a run without budgets

local function key(base, kind, run)
    if run then return base .. ':' .. kind .. ':' .. run end
    return base .. ':' .. kind
end

-- The queue's time. It follows the server's clock as long as somebody asks every few seconds, as
-- coordinator and workers do. When that clock steps (it was set, or another server took over), or
-- nobody could ask for a while, at most STEP_MS of it count, and nothing of a step back: leases that
-- their workers could prolong do not end by it.
local function now_ms(base)
    local t = redis.call('TIME')
    local wall = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
    local known = redis.call('HMGET', key(base, 'clock'), 'now', 'wall')
    local now, passed = wall, nil
    if known[1] and known[2] then
        now, passed = tonumber(known[1]), wall - tonumber(known[2])
        if passed >= 0 and passed < TICK_MS then return now + passed end
        now = now + math.max(0, math.min(passed, STEP_MS))
    end
    redis.call('HSET', key(base, 'clock'), 'now', now, 'wall', wall)
    return now
end

local function ref_of(run, index) return run .. ':' .. index end

local function split_ref(ref)
    local colon = string.find(ref, ':', 1, true)
    return string.sub(ref, 1, colon - 1), string.sub(ref, colon + 1)
end

local function parse_try(text)
    if not text then return {attempt = 0, deliveries = 0, tries = 0, begun = 0, heard = 0} end
    if text == FIRST_TRY then return {attempt = 1, deliveries = 0, tries = 0, begun = 0, heard = 0} end
    -- Version 3 had three numbers: there every hand-out counted as begun.
    local attempt, deliveries, tries, begun, heard =
        string.match(text, '^(%d+),(%d+),(%d+),?(%d*),?(%d*)$')
    return {
        attempt = tonumber(attempt), deliveries = tonumber(deliveries), tries = tonumber(tries),
        begun = tonumber(begun) or tonumber(attempt), heard = tonumber(heard) or 0,
    }
end

local function format_try(try)
    return string.format('%d,%d,%d,%d,%d', try.attempt, try.deliveries, try.tries, try.begun, try.heard)
end

local function read_try(base, run, index)
    return parse_try(redis.call('HGET', key(base, 'try', run), index))
end

local function write_try(base, run, index, try)
    redis.call('HSET', key(base, 'try', run), index, format_try(try))
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

-- What the leases of these jobs held is free again, and a run that waited for it is served again. The
-- cost and tokens that were set aside for them, together.
local function free_flights(base, run, indexes)
    local fly_key, run_key = key(base, 'fly', run), key(base, 'run', run)
    local cost, tokens = 0, 0
    for _, aside in ipairs(redis.call('HMGET', fly_key, unpack(indexes))) do
        if aside and aside ~= NOTHING_ASIDE then
            local one_cost, one_tokens = string.match(aside, '^(%d+),(%d+)$')
            cost, tokens = cost + tonumber(one_cost), tokens + tonumber(one_tokens)
        end
    end
    if redis.call('HDEL', fly_key, unpack(indexes)) == 0 then return 0, 0 end
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
    local run, index = split_ref(ref)
    return free_flights(base, run, {index})
end

-- Ends jobs of one run, each named once and some hundreds at most. Those that were in the window, as a set.
-- A job that somebody holds is in it: only of the others each is looked for by itself.
local function forget_jobs(base, run, indexes)
    local refs, held, were_open = {}, {}, {}
    for n, index in ipairs(indexes) do refs[n] = ref_of(run, index) end
    local own_key, job_key = key(base, 'own'), key(base, 'job', run)
    local owners = redis.call('HMGET', own_key, unpack(refs))
    for n, index in ipairs(indexes) do
        if owners[n] then
            held[#held + 1] = index
            were_open[index] = true
        elseif redis.call('HDEL', job_key, index) == 1 then
            were_open[index] = true
        end
    end
    if #held > 0 then
        redis.call('HDEL', job_key, unpack(held))
        redis.call('HDEL', own_key, unpack(refs))
    end
    redis.call('ZREM', key(base, 'lease'), unpack(refs))
    redis.call('ZREM', key(base, 'dly'), unpack(refs))
    free_flights(base, run, indexes)
    if redis.call('HDEL', key(base, 'try', run), unpack(indexes)) > 0 then
        redis.call('HDEL', key(base, 'past', run), unpack(indexes))
    end
    return were_open
end

local function forget_job(base, run, index)
    return forget_jobs(base, run, {index})[index] and 1 or 0
end

local function add_result(base, run, index, attempt, kind, value)
    redis.call('XADD', key(base, 'res', run), '*', 'i', index, 'a', attempt, 'k', kind, 'v', value)
end

-- Of a run that is over nobody holds anything, so that no step of a worker brings a key of it back.
local function holds(base, ref, attempt, worker)
    if redis.call('HGET', key(base, 'own'), ref) ~= attempt .. ':' .. worker then return false end
    if state_of(base, (split_ref(ref))) ~= 'done' then return true end
    forget_lease(base, ref)
    return false
end

