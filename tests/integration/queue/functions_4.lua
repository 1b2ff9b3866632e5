#!lua name=evalfleet
-- version: 4
-- As released, without its comments: the steps of a job until its end, as a fleet that is upgraded may
-- still have them in its Redis. Not to be changed.
local QUANTUM = 8
local PROMOTE_LIMIT = 128
local DONE_TTL_MS = 86400000
local LOST_TTL_MS = 3600000
local WORKER_TTL_MS = 60000
local NOTES_LIMIT = 10000
local MOST_ATTEMPTS = 100
local ELSEWHERE_MS = 2000
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
local function uncount(try)
    if try.begun == try.attempt then try.deliveries = math.max(0, try.deliveries - 1) end
    try.begun = 0
    try.heard = try.attempt
end
local function state_of(base, run) return redis.call('HGET', key(base, 'run', run), 'state') end
local function refuse(base, run, epoch)
    local known = tonumber(redis.call('HGET', key(base, 'run', run), 'epoch') or '0')
    if known > tonumber(epoch) then return {'FENCED', tostring(known)} end
    if known < tonumber(epoch) then return {'NORUN'} end
    return nil
end
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
local function lease(base, run, index, payload, since, try, past, taker, jobs)
    local ref = ref_of(run, index)
    try.attempt = try.attempt + 1
    write_try(base, run, index, try)
    redis.call('ZADD', key(base, 'lease'), taker.lease_until, ref)
    redis.call('HSET', key(base, 'own'), ref, try.attempt .. ':' .. taker.worker)
    local waited = since and math.max(0, taker.now - since) or false
    jobs[#jobs + 1] = {
        run, index, try.attempt, try.deliveries + 1, try.tries, payload, waited,
        past and past.past or '', past and math.max(0, taker.now - past.first) or 0,
    }
end
local function take_from(base, run, wanted, taker, limits, jobs)
    local entries = redis.call('LPOP', key(base, 'q', run), wanted) or {}
    local taken = 0
    taker.left_to_others = false
    for n, entry in ipairs(entries) do
        local index, since = read_ready_entry(entry)
        local payload = redis.call('HGET', key(base, 'job', run), index)
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
local function can_serve(base, run, providers)
    if not providers then return true end
    local needs = redis.call('HGET', key(base, 'run', run), 'needs') or ''
    for name in string.gmatch(needs, '%S+') do
        if not providers[name] then return false end
    end
    return true
end
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
    local passed_over = 0
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
    if not state then redis.call('PEXPIRE', key(base, 'res', run), LOST_TTL_MS) end
    return redis.status_reply(was_open and 'OK' or 'LATE')
end
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
redis.register_function('ef1_own', own)
redis.register_function('ef1_enq', enq)
redis.register_function('ef1_take', take)
redis.register_function('ef1_beat', beat)
redis.register_function('ef1_done', done)
redis.register_function('ef1_setback', setback)
