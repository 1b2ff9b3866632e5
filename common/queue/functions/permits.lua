
-- Limits of providers, shared by all workers, runs, model and judge calls; docs/design/limits.md tells
-- why it is so. A limit key <k> is what a
-- provider counts by: a key of the operator's, a model, or both.
--
--   <base>:limits        set     the limit keys that are in use
--   <base>:lim:<k>       hash    requests, tokens (in the window), first (oldest bucket), newest,
--                                bucket_ms; held, unmet, urgent, running, due (of all workers,
--                                see below); blocked (ms of the queue's time); version, state, limit,
--                                rate, reason, changed (the learnt limits: ms when they last
--                                changed); sums, ticked (what calls told since then); pace, paced
--                                (calls that the learnt rate allows now, as of then); refused
--                                (calls refused by the provider so far, and ms of the last)
--   <base>:win:<k>       hash    bucket -> "requests,tokens"
--   <base>:hold:<k>      hash    worker -> "held,unmet,urgent,running,since,due": places for calls at
--                                once, calls that wait for one, of them those that have begun, calls
--                                at the provider, since when it has more than an even share (0: not),
--                                calls that have begun and have a place but no room in the window
--   <base>:holders:<k>   zset    worker -> expiry of what it holds, ms of the queue's time
--
-- The window. A request is counted in the bucket of its grant, and a bucket until WINDOW + MARGIN
-- after its end. A worker sends a request early enough that it arrives within MARGIN after its grant;
-- so any two requests that arrive within WINDOW of each other are counted together, and what the
-- provider sees in any WINDOW is never more than the limit.

local BUCKETS = 240            -- in a window; one is what rounding costs
local PACE = 2                 -- no faster than so many times the limit's own pace,
local PACE_MIN = 4             -- but so many requests in a bucket always
local HOLDERS_LIMIT = 64       -- dead holders dropped in one call
local LIMIT_TTL_MS = 86400000  -- how long an unused key is remembered
local TURN_MS = 1000           -- how long a worker may keep more than an even share that others want,
local SHORT_TURN_MS = 200      -- if those others have calls that have begun
local PACE_BURST = 0.2         -- seconds of the learnt rate that may go at once

local function read_pair(text)
    if not text then return 0, 0 end
    local first, second = string.match(text, '^(-?%d+),(-?%d+)$')
    return tonumber(first), tonumber(second)
end

local function pair(first, second) return string.format('%.0f,%.0f', first, second) end

local function number_of(hash_key, field) return tonumber(redis.call('HGET', hash_key, field) or '0') end

-- Everything that is counted is counted as of now: after a change of the window's length, or when the
-- clock went back. Never less than what is true.
local function rebase(lim, win, bucket, bucket_ms)
    local requests, tokens = number_of(lim, 'requests'), number_of(lim, 'tokens')
    redis.call('DEL', win)
    redis.call('HSET', win, bucket, pair(requests, tokens))
    redis.call('HSET', lim, 'first', bucket, 'newest', bucket, 'bucket_ms', bucket_ms)
end

-- Drops buckets whose requests cannot share a window with one that is granted now.
local function forget_buckets(lim, win, last)
    local first = number_of(lim, 'first')
    if last < first then return end
    local requests, tokens = number_of(lim, 'requests'), number_of(lim, 'tokens')
    if last >= number_of(lim, 'newest') then
        redis.call('DEL', win)
        requests, tokens = 0, 0
    else
        for bucket = first, last do
            local r, t = read_pair(redis.call('HGET', win, bucket))
            redis.call('HDEL', win, bucket)
            requests, tokens = requests - r, tokens - t
        end
    end
    redis.call('HSET', lim, 'requests', requests, 'tokens', tokens, 'first', last + 1)
end

-- The bucket of this moment, with the window brought up to it.
local function turn_window(lim, win, now, window_ms, margin_ms)
    local bucket_ms = math.max(1, math.ceil(window_ms / BUCKETS))
    local bucket = math.floor(now / bucket_ms)
    local newest = number_of(lim, 'newest')
    local went_back = newest - bucket > BUCKETS / 10
    if number_of(lim, 'bucket_ms') ~= bucket_ms or went_back then
        rebase(lim, win, bucket, bucket_ms)
    end
    forget_buckets(lim, win, math.floor((now - window_ms - margin_ms) / bucket_ms) - 1)
    bucket = math.max(bucket, number_of(lim, 'newest'))
    redis.call('HSET', lim, 'newest', bucket)
    return bucket, bucket_ms
end

-- Counts more, or with negative numbers less, in a bucket that is still counted. One that has not
-- come yet is the newest.
local function count_in(lim, win, bucket, requests, tokens)
    bucket = math.min(bucket, number_of(lim, 'newest'))
    if bucket < number_of(lim, 'first') then return end
    local r, t = read_pair(redis.call('HGET', win, bucket))
    requests, tokens = math.max(requests, 0 - r), math.max(tokens, 0 - t)
    redis.call('HSET', win, bucket, pair(r + requests, t + tokens))
    redis.call('HINCRBY', lim, 'requests', requests)
    redis.call('HINCRBY', lim, 'tokens', tokens)
end

-- When the oldest bucket that counts anything stops to do so.
local function next_relief(lim, win, bucket_ms, terms)
    local first, newest = number_of(lim, 'first'), number_of(lim, 'newest')
    while first < newest and read_pair(redis.call('HGET', win, first)) == 0 do first = first + 1 end
    redis.call('HSET', lim, 'first', first)
    return (first + 1) * bucket_ms + terms.window_ms + terms.margin_ms
end

-- How many calls the learnt rate allows now, and how long until it allows one more.
local function pace_of(lim, now, rate)
    if rate == 0 then return math.huge, 0 end
    local paced = number_of(lim, 'paced')
    local most = math.max(1, rate * PACE_BURST)
    local pace = math.min(most, number_of(lim, 'pace') + math.max(0, now - paced) * rate / 1000)
    redis.call('HSET', lim, 'pace', tostring(pace), 'paced', now)
    return math.floor(pace), math.ceil((1 - pace % 1) * 1000 / rate)
end

-- How many of the wishes for tokens, in order, fit into the window now; and how long until it is worth
-- asking for more, 0 if all fit. The first `urgent` of them are of calls that have begun; the others
-- leave room for the calls of other workers that have (`kept`), as if those were as large.
local function fit(lim, win, bucket, bucket_ms, now, terms, wishes, urgent, kept)
    local requests, tokens = number_of(lim, 'requests'), number_of(lim, 'tokens')
    local in_bucket = read_pair(redis.call('HGET', win, bucket))
    local pace = math.huge
    if terms.rpm > 0 then
        pace = math.max(PACE_MIN, math.ceil(PACE * terms.rpm * bucket_ms / terms.window_ms))
    end
    local granted, billed = 0, 0
    for n, wish in ipairs(wishes) do
        local others = n > urgent and kept or 0
        local room_for_request = terms.rpm == 0 or requests + granted + others < terms.rpm
        -- More than the whole limit can never fit: such a call goes when it is alone.
        local bill = terms.tpm > 0 and math.min(wish, terms.tpm) or wish
        local room_for_tokens = terms.tpm == 0 or tokens + billed + bill * (1 + others) <= terms.tpm
        if not room_for_request or not room_for_tokens then
            return granted, billed, math.max(1, next_relief(lim, win, bucket_ms, terms) - now)
        end
        if in_bucket + granted + others >= pace then
            return granted, billed, math.max(1, (bucket + 1) * bucket_ms - now)
        end
        granted, billed = granted + 1, billed + bill
    end
    return granted, billed, 0
end

local HOLD = {'held', 'unmet', 'urgent', 'running', 'since', 'due'}  -- of each worker, in this order;
local COUNTED = {'held', 'unmet', 'urgent', 'running', 'due'}        -- of them: with their sums in <lim>

-- What Redis knows of a worker, and whether that is nothing. Numbers that an older version did not
-- write are 0.
local function read_hold(base, k, worker)
    local text = redis.call('HGET', key(base, 'hold', k), worker)
    local numbers = string.gmatch(text or '', '[%d.]+')
    local hold = {}
    for _, name in ipairs(HOLD) do hold[name] = tonumber(numbers() or '0') end
    return hold, not text
end

local function change_sums(lim, before, after)
    for _, name in ipairs(COUNTED) do
        local change = after[name] - before[name]
        if change ~= 0 then
            redis.call('HSET', lim, name, string.format('%.3f', number_of(lim, name) + change))
        end
    end
end

local function write_hold(base, k, worker, before, after)
    change_sums(key(base, 'lim', k), before, after)
    redis.call('HSET', key(base, 'hold', k), worker,
               string.format('%.0f,%.0f,%.0f,%.3f,%.0f,%.0f', after.held, after.unmet, after.urgent,
                             after.running, after.since, after.due))
end

local function drop_holder(base, k, worker)
    local hold = read_hold(base, k, worker)
    redis.call('HDEL', key(base, 'hold', k), worker)
    redis.call('ZREM', key(base, 'holders', k), worker)
    change_sums(key(base, 'lim', k), hold, {held = 0, unmet = 0, urgent = 0, running = 0, due = 0})
end

local function drop_dead_holders(base, k, now)
    local dead = redis.call('ZRANGEBYSCORE', key(base, 'holders', k), '-inf', now, 'LIMIT', 0, HOLDERS_LIMIT)
    for _, worker in ipairs(dead) do drop_holder(base, k, worker) end
end

-- Divides `limit` calls at once among the workers that want some. A call that has begun goes before
-- one that has not, whichever worker has it. A worker gets what it wants as long as there is enough; if
-- not, nobody grows beyond an even share, and what that leaves over goes round in turns. Returns how
-- many places the worker holds, and how many calls it may have under way: fewer if it must give some up.
local function share_out(base, k, worker, limit, now, ask)
    local lim = key(base, 'lim', k)
    local before, is_new = read_hold(base, k, worker)
    local others_held = number_of(lim, 'held') - before.held
    local others_unmet = number_of(lim, 'unmet') - before.unmet
    local others_urgent = number_of(lim, 'urgent') - before.urgent
    local room = math.max(0, limit - others_held)
    local free = math.max(0, room - ask.in_use)
    local urgent = math.min(ask.urgent, free)
    local fresh = math.min(ask.wanted - ask.urgent, math.max(0, free - urgent - others_urgent))
    local allowed = ask.in_use + urgent + fresh
    local target = math.min(allowed, room)
    local since = 0
    if others_unmet > 0 and limit < math.huge then
        local workers = redis.call('HLEN', key(base, 'hold', k)) + (is_new and 1 or 0)
        local fair = math.floor(limit / workers)
        local gives_back = before.held > ask.in_use
        local extra = (limit % workers > 0 and not gives_back) and 1 or 0
        -- Calls that have begun go beyond an even share only as long as no other worker has some waiting.
        local share = math.max(fair + extra, others_urgent > 0 and 0 or urgent)
        allowed = math.min(allowed, math.max(ask.in_use, share))
        target = math.min(target, allowed, share)
        if target > fair and (urgent == 0 or others_urgent > 0) then
            since = before.since > 0 and before.since or now
            local turn = (others_urgent > 0 and urgent == 0) and SHORT_TURN_MS or TURN_MS
            if now - since >= turn then target = fair end
        end
    end
    write_hold(base, k, worker, before, {
        held = allowed, unmet = math.max(0, ask.in_use + ask.wanted - allowed),
        urgent = ask.urgent - urgent, running = ask.running, since = since, due = before.due,
    })
    return allowed, target
end

-- What the workers' own reckoning made of the learnt limits, unless somebody was faster.
local function propose(lim, now, version, state, limit, rate, reason)
    if version == '' or tonumber(version) ~= number_of(lim, 'version') then return end
    redis.call('HSET', lim, 'state', state, 'limit', limit, 'rate', rate)
    redis.call('HINCRBY', lim, 'version', 1)
    if reason ~= '' then redis.call('HSET', lim, 'reason', reason, 'changed', now) end
end

-- Two lists of numbers added up; of the second numbers the larger one. The first is an epoch: if they
-- differ the later list counts alone.
local function add_sums(one, other)
    if not one or one == '' then return other end
    if other == '' then return one end
    local epoch = tonumber(string.match(one, '^[^,]+')) or 0
    local other_epoch = tonumber(string.match(other, '^[^,]+')) or 0
    if epoch ~= other_epoch then return epoch > other_epoch and one or other end
    local sums, n = {}, 0
    local numbers = string.gmatch(other, '[^,]+')
    for number in string.gmatch(one, '[^,]+') do
        n = n + 1
        local a, b = tonumber(number), tonumber(numbers() or '0')
        if n <= 2 then sums[n] = string.format('%.17g', math.max(a, b))
        else sums[n] = string.format('%.17g', a + b) end
    end
    return table.concat(sums, ',')
end

-- Keeps what calls told until TICK_MS have passed since somebody was told; then it is the caller's, who
-- makes new limits of it. Returns the sums and the time that they are about.
local function gather(lim, now, tick_ms, told)
    local sums = add_sums(redis.call('HGET', lim, 'sums'), told)
    local ticked = number_of(lim, 'ticked')
    if ticked == 0 or ticked > now then
        ticked = now
        redis.call('HSET', lim, 'ticked', now)
    end
    if now - ticked < tick_ms then
        if told ~= '' then redis.call('HSET', lim, 'sums', sums) end
        return '', 0
    end
    redis.call('HSET', lim, 'sums', '', 'ticked', now)
    return sums, now - ticked
end

-- permit KEY WORKER LEASE_MS WINDOW_MS MARGIN_MS RPM TPM MAX_CONCURRENT FIRST TICK_MS RUNNING IN_USE
-- WANTED URGENT PAUSE_MS REFUSED SUMS VERSION STATE LIMIT RATE REASON COUNT
-- (BUCKET REQUESTS TOKENS)*COUNT TOKENS...: a worker says what it uses of a limit key and what it wants
-- of it. What it says is how it is, not what changed: a call whose reply was lost is made good by the
-- next one. (Requests granted in a lost reply stay counted until they fall out of the window.)
--   RPM, TPM        requests and tokens in a window; 0: any number
--   MAX_CONCURRENT  calls at once, of all workers; 0: any number
--   FIRST           calls at once as long as nothing is learnt
--   TICK_MS         how often somebody shall be told what calls told
--   RUNNING         calls at the provider, on average since the last time
--   IN_USE, WANTED  places in use, and permits in hand; calls that wait for one
--   URGENT          of those that wait: how many have begun
--   PAUSE_MS        the provider has had enough: nobody calls it for so long; 0: no news
--   REFUSED         calls that the provider refused since the last time
--   SUMS            what calls told since the last time: numbers with commas, may be empty
--   VERSION STATE LIMIT RATE REASON   the learnt limits as this worker has reckoned them from VERSION;
--                   VERSION empty: no news. LIMIT: calls at once. RATE: calls a second, 0: any number
--   BUCKET REQUESTS TOKENS   what was counted wrongly in that bucket: used more, or less; a bucket
--                   beyond the newest stands for it
--   TOKENS...       a wish each: the estimated tokens of the next calls, in order
-- A worker that neither uses nor wants anything is forgotten. Otherwise what it holds is its own for
-- LEASE_MS.
--   {granted, bucket, allowed, target, wait_ms, paused_ms, version, state, limit, rate, now, held,
--    running, requests, tokens, sums, elapsed_ms}
--   granted     how many of the wishes may be sent, and must be within MARGIN
--   bucket      where they are counted
--   allowed     places that the worker holds
--   target      calls that it may have under way: fewer than it holds if it must give some up
--   wait_ms     how long to wait before asking for more requests; 0: all were granted
--   paused_ms   nobody may call for so long; 0: not paused
--   version, state, limit, rate   the learnt limits; 0, '', '0' and '0' before the first
--   now         the queue's time
--   held, running, requests, tokens   of all workers: places, calls at the provider, and what the
--               window counts
--   sums, elapsed_ms   what calls told in that time, if the worker shall make new limits of it
local function permit(keys, args)
    local base, k, worker = keys[1], args[1], args[2]
    local lim, win = key(base, 'lim', k), key(base, 'win', k)
    local now = now_ms(base)
    local terms = {
        window_ms = tonumber(args[4]), margin_ms = tonumber(args[5]),
        rpm = tonumber(args[6]), tpm = tonumber(args[7]),
    }
    local ask = {
        running = tonumber(args[11]), in_use = tonumber(args[12]), wanted = tonumber(args[13]),
        urgent = tonumber(args[14]),
    }
    local count = tonumber(args[23])
    local first_wish = 23 + 3 * count
    redis.call('SADD', key(base, 'limits'), k)
    drop_dead_holders(base, k, now)
    local bucket, bucket_ms = turn_window(lim, win, now, terms.window_ms, terms.margin_ms)
    for n = 24, first_wish, 3 do
        count_in(lim, win, tonumber(args[n]), tonumber(args[n + 1]), tonumber(args[n + 2]))
    end
    local pause_ms = tonumber(args[15])
    local blocked = number_of(lim, 'blocked')
    if pause_ms > 0 and now + pause_ms > blocked then
        blocked = now + pause_ms
        redis.call('HSET', lim, 'blocked', blocked)
    end
    if args[16] ~= '0' then
        redis.call('HINCRBY', lim, 'refused', args[16])
        redis.call('HSET', lim, 'refused_at', now)
    end
    propose(lim, now, args[18], args[19], args[20], args[21], args[22])
    local sums, elapsed_ms = gather(lim, now, tonumber(args[10]), args[17])

    local limit = math.floor(tonumber(redis.call('HGET', lim, 'limit') or args[9]))
    if tonumber(args[8]) > 0 then limit = math.min(limit, tonumber(args[8])) end
    local allowed, target = share_out(base, k, worker, limit, now, ask)
    if allowed == 0 and ask.wanted == 0 then
        drop_holder(base, k, worker)
    else
        redis.call('ZADD', key(base, 'holders', k), now + tonumber(args[3]), worker)
    end

    local granted, billed, wait_ms = 0, 0, 0
    local wishes = {}
    local rate = tonumber(redis.call('HGET', lim, 'rate') or '0')
    local pace, next_pace_ms = pace_of(lim, now, rate)
    -- What the window and the rate allow goes to calls that have begun first, whichever worker has them.
    local hold = read_hold(base, k, worker)
    local others_due = number_of(lim, 'due') - hold.due
    local wanted = math.min(#args - first_wish, allowed - ask.in_use)
    local urgent = math.min(ask.urgent, wanted)
    local most = math.min(wanted, math.max(math.min(urgent, pace), pace - others_due))
    for n = 1, most do wishes[n] = tonumber(args[first_wish + n]) end
    if now < blocked then
        wait_ms = blocked - now
    elseif wanted > 0 then
        if most > 0 then
            granted, billed, wait_ms = fit(lim, win, bucket, bucket_ms, now, terms, wishes,
                                            urgent, others_due)
        end
        if granted > 0 then
            count_in(lim, win, bucket, granted, billed)
            if rate > 0 then redis.call('HINCRBYFLOAT', lim, 'pace', 0 - granted) end
        end
        if wait_ms == 0 and granted < wanted then wait_ms = math.max(1, next_pace_ms) end
    end
    local due = math.max(0, urgent - granted)
    if due ~= hold.due then
        local after = read_hold(base, k, worker)
        after.due = due
        write_hold(base, k, worker, hold, after)
    end
    redis.call('PEXPIRE', lim, LIMIT_TTL_MS)
    redis.call('PEXPIRE', win, LIMIT_TTL_MS)
    local known = redis.call('HMGET', lim, 'version', 'state', 'limit', 'rate', 'held', 'running',
                             'requests', 'tokens')
    return {
        granted, tostring(bucket), allowed, target, math.ceil(wait_ms), math.max(0, blocked - now),
        tonumber(known[1] or '0'), known[2] or '', known[3] or '0', known[4] or '0', tostring(now),
        tonumber(known[5] or '0'), known[6] or '0', tonumber(known[7] or '0'),
        tonumber(known[8] or '0'), sums, elapsed_ms,
    }
end

-- permits: all limit keys in numbers.
--   {{key, held, unmet, urgent, running, workers, requests, tokens, limit, rate, paused_ms, refused,
--     refused_ms, reason, changed_ms}...}
-- limit, rate: learnt; '0' where there is none. refused: calls so far, the last one refused_ms ago.
-- reason: why the learnt limits changed last, changed_ms ago.
local function permits(keys, args)
    local base = keys[1]
    local now = now_ms(base)
    local answer = {}
    for _, k in ipairs(redis.call('SMEMBERS', key(base, 'limits'))) do
        local lim = key(base, 'lim', k)
        if redis.call('EXISTS', lim) == 0 then
            redis.call('SREM', key(base, 'limits'), k)
        else
            drop_dead_holders(base, k, now)
            answer[#answer + 1] = {
                k, number_of(lim, 'held'), number_of(lim, 'unmet'), number_of(lim, 'urgent'),
                redis.call('HGET', lim, 'running') or '0', redis.call('HLEN', key(base, 'hold', k)),
                number_of(lim, 'requests'), number_of(lim, 'tokens'),
                redis.call('HGET', lim, 'limit') or '0', redis.call('HGET', lim, 'rate') or '0',
                math.max(0, number_of(lim, 'blocked') - now), number_of(lim, 'refused'),
                math.max(0, now - number_of(lim, 'refused_at')),
                redis.call('HGET', lim, 'reason') or '', math.max(0, now - number_of(lim, 'changed')),
            }
        end
    end
    return answer
end
