
-- Jobs are handed out: fairly between the runs, within their limits.

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

local TERMS = {
    'state', 'needs', 'share', 'max_in_flight', 'largest',
    'cost_limit', 'cost_spent', 'cost_aside', 'cost_base', 'cost_per_byte',
    'tokens_limit', 'tokens_spent', 'tokens_aside', 'tokens_base', 'tokens_per_byte',
}

-- What is to be known of a run to hand its jobs out, by name. `largest` is nil if it is not known.
local function read_terms(base, run)
    local known, terms = redis.call('HMGET', key(base, 'run', run), unpack(TERMS)), {}
    for n, name in ipairs(TERMS) do terms[name] = known[n] or nil end
    return terms
end

-- What a run is bounded by right now: how many more may fly, and for each budget what is left of it
-- and what a job takes. Empty for a run without limits of its own.
local function limits_of(base, run, terms)
    local limits = {room = math.huge, budgets = {}, has_budgets = false}
    local most = tonumber(terms.max_in_flight or '0')
    if most > 0 then limits.room = math.max(0, most - redis.call('HLEN', key(base, 'fly', run))) end
    for _, budget in ipairs(BUDGETS) do
        local limit = tonumber(terms[budget .. '_limit'] or '0')
        if limit > 0 then
            limits.has_budgets = true
            limits.budgets[budget] = {
                left = limit - tonumber(terms[budget .. '_spent'] or '0')
                    - tonumber(terms[budget .. '_aside'] or '0'),
                aside = 0, base = tonumber(terms[budget .. '_base'] or '0'),
                per_byte = tonumber(terms[budget .. '_per_byte'] or '0'),
            }
        end
    end
    return limits
end

-- Finds what to set aside for a job: "cost,tokens". Or nil and the budget that does not allow it.
local function set_aside(bytes, limits)
    if not limits.has_budgets then return NOTHING_ASIDE end
    local needs = {cost = 0, tokens = 0}
    for name, budget in pairs(limits.budgets) do
        needs[name] = math.ceil(budget.base + budget.per_byte * bytes)
        if needs[name] > budget.left then return nil, name end
    end
    for name, budget in pairs(limits.budgets) do
        budget.left = budget.left - needs[name]
        budget.aside = budget.aside + needs[name]
    end
    return string.format('%.0f,%.0f', needs.cost, needs.tokens)
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

-- Leases these jobs of a run to `taker`, and adds them to `jobs`. Each has index, payload, since, try,
-- past and aside.
local function lease(base, run, found, taker, limits, jobs)
    if #found == 0 then return end
    local leases, owners, tries, flights = {}, {}, {}, {}
    for n, job in ipairs(found) do
        local ref, try, past, at = ref_of(run, job.index), job.try, job.past, 2 * n
        try.attempt = try.attempt + 1
        leases[at - 1], leases[at] = taker.lease_until, ref
        owners[at - 1], owners[at] = ref, try.attempt .. ':' .. taker.worker
        tries[at - 1], tries[at] = job.index, job.is_new and FIRST_TRY or format_try(try)
        flights[at - 1], flights[at] = job.index, job.aside
        -- A version that used the server's clock may have written it.
        local waited = job.since and math.max(0, taker.now - job.since) or false
        jobs[#jobs + 1] = {
            run, job.index, try.attempt, try.deliveries + 1, try.tries, job.payload, waited,
            past and past.past or '', past and math.max(0, taker.now - past.first) or 0,
        }
    end
    redis.call('ZADD', key(base, 'lease'), unpack(leases))
    redis.call('HSET', key(base, 'own'), unpack(owners))
    redis.call('HSET', key(base, 'try', run), unpack(tries))
    redis.call('HSET', key(base, 'fly', run), unpack(flights))
    for name, budget in pairs(limits.budgets) do
        redis.call('HINCRBY', key(base, 'run', run), name .. '_aside', budget.aside)
    end
end

local function put_back(base, run, entries, from)
    for n = #entries, from, -1 do redis.call('LPUSH', key(base, 'q', run), entries[n]) end
end

-- The ready jobs in `entries`: {index, since, try} in order, with is_idle unless it is in somebody's
-- hands, or stands in the list twice after a repair, and is_new if it was never taken.
local function look_up(base, run, entries)
    local candidates, indexes, refs, named = {}, {}, {}, {}
    for n, entry in ipairs(entries) do
        local index, since = read_ready_entry(entry)
        candidates[n] = {index = index, since = since, is_idle = not named[index]}
        indexes[n], refs[n], named[index] = index, ref_of(run, index), true
    end
    local leases = redis.call('ZMSCORE', key(base, 'lease'), unpack(refs))
    local tries = redis.call('HMGET', key(base, 'try', run), unpack(indexes))
    for n, candidate in ipairs(candidates) do
        candidate.is_idle = candidate.is_idle and not leases[n]
        candidate.is_new = not tries[n]
        candidate.try = parse_try(tries[n])
    end
    return candidates, indexes
end

-- Should another worker have this job, which `taker` put back?
local function is_for_others(job, taker)
    return job.past and job.past.worker == taker.worker and not taker.is_alone
        and job.since and taker.now - job.since < ELSEWHERE_MS
end

-- The payloads of these jobs, if it is certain that they fit in `room` together.
local function read_payloads(base, run, indexes, room, terms)
    if not terms.largest or tonumber(terms.largest) * #indexes > room then return nil end
    return redis.call('HMGET', key(base, 'job', run), unpack(indexes))
end

-- The payload of one job; false and whether it does not fit if it cannot be had. One that is larger
-- than all room there is goes alone.
local function read_payload(base, run, index, taker)
    local job_key = key(base, 'job', run)
    if taker.has_any and redis.call('HSTRLEN', job_key, index) > taker.room then return false, true end
    return redis.call('HGET', job_key, index), false
end

-- Finds up to `wanted` jobs of one run for `taker`: worker, now, lease_until, is_alone, room (bytes),
-- is_full (no more bytes fit), left_to_others. The budget that stopped it, if one did. A job that this
-- worker put back is left to another one for a while, if there is another one.
local function find_jobs(base, run, wanted, taker, terms, limits, found)
    local entries = redis.call('LPOP', key(base, 'q', run), wanted)
    if not entries then return nil end
    local candidates, indexes = look_up(base, run, entries)
    local payloads = read_payloads(base, run, indexes, taker.room, terms)
    for n, job in ipairs(candidates) do
        local is_too_long = false
        if not job.is_idle then
            job.payload = false
        elseif payloads then
            job.payload = payloads[n]
        else
            job.payload, is_too_long = read_payload(base, run, job.index, taker)
        end
        if is_too_long then
            taker.is_full = true
            put_back(base, run, entries, n)
            return nil
        end
        if job.payload then
            job.past = job.try.attempt > 0 and read_past(base, run, job.index) or nil
            if is_for_others(job, taker) then
                redis.call('RPUSH', key(base, 'q', run), entries[n])
                taker.left_to_others = true
            else
                local over
                job.aside, over = set_aside(#job.payload, limits)
                if over then
                    put_back(base, run, entries, n)
                    return over
                end
                found[#found + 1] = job
                taker.has_any = true
                taker.room = taker.room - #job.payload
            end
        end
    end
    return nil
end

-- One turn of the run that is next; it pays for what is taken with virtual time. True if it may be
-- served again in this call. A run that is alone needs no turns.
local function serve(base, run, vtime, most, taker, terms, jobs)
    if terms.state ~= 'run' then
        deactivate(base, run)
        return true
    end
    local limits = limits_of(base, run, terms)
    local wanted = math.min(most, taker.has_one_run and LARGE_QUANTUM or QUANTUM, limits.room)
    if wanted == 0 then
        hold_back(base, run, nil)
        return true
    end
    taker.left_to_others = false
    local found = {}
    local over = find_jobs(base, run, wanted, taker, terms, limits, found)
    lease(base, run, found, taker, limits, jobs)
    if #found > 0 then
        local share = tonumber(terms.share or '1')
        redis.call('ZADD', key(base, 'act'), vtime + #found / share, run)
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

-- May the taker work for the run? It must have every provider that the run needs. And while Redis is
-- full, a run whose results wait gets no new ones: they would not be fetched any sooner.
local function can_serve(base, run, taker, terms)
    if taker.is_memory_full and redis.call('XLEN', key(base, 'res', run)) > 0 then return false end
    if not taker.providers then return true end
    for name in string.gmatch(terms.needs or '', '%S+') do
        if not taker.providers[name] then return false end
    end
    return true
end

local function names_in(text)
    if not text then return nil end
    local names = {}
    for name in string.gmatch(text, '%S+') do names[name] = true end
    return names
end

local function take_for(base, count, taker)
    promote_due(base, taker.now)
    local jobs = {}
    local act_key = key(base, 'act')
    taker.has_one_run = redis.call('ZCARD', act_key) == 1
    local passed_over = 0  -- runs at the front that are not for this worker, or not again
    while #jobs < count and not taker.is_full do
        local first = redis.call('ZRANGE', act_key, passed_over, passed_over, 'WITHSCORES')
        if #first == 0 then break end
        local terms = read_terms(base, first[1])
        local may_go_on = can_serve(base, first[1], taker, terms)
            and serve(base, first[1], tonumber(first[2]), count - #jobs, taker, terms, jobs)
        if not may_go_on then passed_over = passed_over + 1 end
    end
    local left = redis.call('ZCARD', act_key)
    if left > 0 then wake(base) end
    if left > passed_over then return {0, unpack(jobs)} end
    if left > 0 then return {-2, unpack(jobs)} end
    local next_due = redis.call('ZRANGE', key(base, 'dly'), 0, 0, 'WITHSCORES')
    if #next_due == 0 then return {-1, unpack(jobs)} end
    return {math.max(1, tonumber(next_due[2]) - taker.now), unpack(jobs)}
end

local function taker_of(base, args)
    local now = now_ms(base)
    return {
        worker = args[1], now = now, lease_until = now + tonumber(args[3]), left_to_others = false,
        is_alone = redis.call('ZCOUNT', key(base, 'workers'), now - WORKER_TTL_MS, '+inf') < 2,
        room = TAKE_BYTES, has_any = false, is_full = false, is_memory_full = false, providers = names_in(args[4]),
    }
end

-- take WORKER COUNT LEASE_MS [PROVIDERS]: up to COUNT jobs, of no more than TAKE_BYTES together unless it
-- is a single one, fairly between the runs, none beyond a run's own limits, and none of a run that needs
-- another provider than PROVIDERS (names with spaces between them; without the argument the worker has
-- them all).
--   {wait_ms, {run, index, attempt, deliveries, tries, payload, waited_ms, past, age_ms}...}
-- wait_ms: how long nothing new will come by itself: 0 if jobs are left, the time to the next delayed
-- job, -1 if there is none, -2 if jobs are left but none for this worker.
-- deliveries: those that began and were not heard of again, and this one.
-- waited_ms: how long the job was ready before it was taken: since it was enqueued, or came back, or
-- was due. nil if that is unknown.
-- past, age_ms: what whoever put it back last said, and how long ago it was first attempted.
local function take(keys, args)
    return take_for(keys[1], tonumber(args[2]), taker_of(keys[1], args))
end

-- take_when_full WORKER COUNT LEASE_MS [PROVIDERS]: as take, for a Redis at its memory limit, which
-- refuses take: only a few jobs, and only of runs none of whose results wait. So what Redis holds grows
-- no further while nobody fetches results, and the runs go on when somebody does.
local function take_when_full(keys, args)
    local taker = taker_of(keys[1], args)
    taker.is_memory_full = true
    return take_for(keys[1], math.min(tonumber(args[2]), QUANTUM), taker)
end
