
-- Limits of providers, shared by all workers, runs, model and judge calls. Part of the library that
-- begins in functions.lua; docs/design/limits.md tells why it is so. A limit key <k> is what a
-- provider counts by: a key of the operator's.
--
--   <base>:limits        set     the limit keys that are in use
--   <base>:lim:<k>       hash    requests, tokens (in the window), first (oldest bucket), newest,
--                                bucket_ms; held, unmet (calls at once, of all workers);
--                                blocked (ms of the server's clock); version, state, limit (adaptive)
--   <base>:win:<k>       hash    bucket -> "requests,tokens"
--   <base>:hold:<k>      hash    worker -> "held,unmet"
--   <base>:holders:<k>   zset    worker -> expiry of what it holds, ms of the server's clock
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

local function read_pair(text)
    if not text then return 0, 0 end
    local first, second = string.match(text, '^(-?%d+),(-?%d+)$')
    return tonumber(first), tonumber(second)
end

local function pair(first, second) return string.format('%.0f,%.0f', first, second) end

local function number_of(hash_key, field) return tonumber(redis.call('HGET', hash_key, field) or '0') end

-- Everything that is counted is counted as of now: after a change of the window's length, or when the
-- server's clock went back. Never less than what is true.
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

-- How many of the wishes for tokens, in order, fit into the window now; and how long until it is worth
-- asking for more, 0 if all fit.
local function fit(lim, win, bucket, bucket_ms, now, terms, wishes)
    local requests, tokens = number_of(lim, 'requests'), number_of(lim, 'tokens')
    local in_bucket = read_pair(redis.call('HGET', win, bucket))
    local pace = math.huge
    if terms.rpm > 0 then
        pace = math.max(PACE_MIN, math.ceil(PACE * terms.rpm * bucket_ms / terms.window_ms))
    end
    local granted, billed = 0, 0
    for _, wish in ipairs(wishes) do
        local room_for_request = terms.rpm == 0 or requests + granted < terms.rpm
        -- More than the whole limit can never fit: such a call goes when it is alone.
        local bill = terms.tpm > 0 and math.min(wish, terms.tpm) or wish
        local room_for_tokens = terms.tpm == 0 or tokens + billed + bill <= terms.tpm
        if not room_for_request or not room_for_tokens then
            return granted, billed, math.max(1, next_relief(lim, win, bucket_ms, terms) - now)
        end
        if in_bucket + granted >= pace then
            return granted, billed, math.max(1, (bucket + 1) * bucket_ms - now)
        end
        granted, billed = granted + 1, billed + bill
    end
    return granted, billed, 0
end

local function drop_holder(base, k, worker)
    local lim = key(base, 'lim', k)
    local held, unmet = read_pair(redis.call('HGET', key(base, 'hold', k), worker))
    redis.call('HDEL', key(base, 'hold', k), worker)
    redis.call('ZREM', key(base, 'holders', k), worker)
    redis.call('HINCRBY', lim, 'held', 0 - held)  -- Redis refuses a minus zero
    redis.call('HINCRBY', lim, 'unmet', 0 - unmet)
end

local function drop_dead_holders(base, k, now)
    local dead = redis.call('ZRANGEBYSCORE', key(base, 'holders', k), '-inf', now, 'LIMIT', 0, HOLDERS_LIMIT)
    for _, worker in ipairs(dead) do drop_holder(base, k, worker) end
end

-- Divides `limit` calls at once among the workers that want some: a worker gets what it wants as long
-- as there is enough; if not, nobody grows beyond an even share. What an even share leaves over goes
-- to whoever asks, and not back at once to whoever had it. How many the worker may have, and whether
-- it may use one again when a call ends, or must come and ask.
local function share_out(base, k, worker, limit, in_use, wanted)
    local lim, hold = key(base, 'lim', k), key(base, 'hold', k)
    local held, unmet = read_pair(redis.call('HGET', hold, worker))
    local is_new = redis.call('HEXISTS', hold, worker) == 0
    local others_held = number_of(lim, 'held') - held
    local others_unmet = number_of(lim, 'unmet') - unmet
    local demand = in_use + wanted
    local allowed = math.min(demand, math.max(0, limit - others_held))
    local keep = true
    if others_unmet > 0 and limit < math.huge then
        local workers = redis.call('HLEN', hold) + (is_new and 1 or 0)
        local fair = math.floor(limit / workers)
        local gives_back = held > in_use
        local extra = (limit % workers > 0 and not gives_back) and 1 or 0
        allowed = math.min(allowed, fair + extra)
        keep = math.max(in_use, allowed) <= fair
    end
    allowed = math.max(allowed, in_use)
    local lacking = demand - allowed
    redis.call('HINCRBY', lim, 'held', allowed - held)
    redis.call('HINCRBY', lim, 'unmet', lacking - unmet)
    redis.call('HSET', hold, worker, pair(allowed, lacking))
    return allowed, keep
end

-- What the workers' own reckoning made of the adaptive limit, unless somebody was faster.
local function propose(lim, version, state, limit)
    if version == '' or tonumber(version) ~= number_of(lim, 'version') then return end
    redis.call('HSET', lim, 'state', state, 'limit', limit)
    redis.call('HINCRBY', lim, 'version', 1)
end

-- permit KEY WORKER LEASE_MS WINDOW_MS MARGIN_MS RPM TPM MAX_CONCURRENT ADAPTIVE IN_USE WANTED
-- PAUSE_MS VERSION STATE LIMIT COUNT (BUCKET REQUESTS TOKENS)*COUNT TOKENS...: a worker says what it
-- uses of a limit key and what it wants of it. What it says is how it is, not what changed: a call
-- whose reply was lost is made good by the next one. (Requests granted in a lost reply stay counted
-- until they fall out of the window.)
--   RPM, TPM        requests and tokens in a window; 0: any number
--   MAX_CONCURRENT  calls at once, of all workers; 0: any number, or as many as the adaptive limit
--   ADAPTIVE        0: there is none; else the limit to begin with
--   IN_USE, WANTED  calls under way and permits in hand; calls that wait for one
--   PAUSE_MS        the provider has had enough: nobody calls it for so long; 0: no news
--   VERSION STATE LIMIT   the adaptive limit as this worker has reckoned it from VERSION; VERSION
--                   empty: no news
--   BUCKET REQUESTS TOKENS   what was counted wrongly in that bucket: used more, or less; a bucket
--                   beyond the newest stands for it
--   TOKENS...       a wish each: the estimated tokens of the next calls, in order
-- A worker that neither uses nor wants anything is forgotten. Otherwise what it holds is its own for
-- LEASE_MS.
--   {granted, bucket, allowed, keep, wait_ms, paused_ms, version, state, limit, now, held, requests,
--    tokens}
--   granted     how many of the wishes may be sent, and must be within MARGIN
--   bucket      where they are counted
--   allowed     calls that the worker may have under way
--   keep        1: a call that ends makes room for the next; 0: it must be asked for
--   wait_ms     how long to wait before asking for more requests; 0: all were granted
--   paused_ms   nobody may call for so long; 0: not paused
--   version, state, limit   of the adaptive limit; 0, '' and '0' before the first
--   now         the server's clock
--   held, requests, tokens   of all workers: calls at once, and what the window counts
local function permit(keys, args)
    local base, k, worker = keys[1], args[1], args[2]
    local lim, win = key(base, 'lim', k), key(base, 'win', k)
    local now = now_ms()
    local terms = {
        window_ms = tonumber(args[4]), margin_ms = tonumber(args[5]),
        rpm = tonumber(args[6]), tpm = tonumber(args[7]),
    }
    local in_use, wanted = tonumber(args[10]), tonumber(args[11])
    local count = tonumber(args[16])
    redis.call('SADD', key(base, 'limits'), k)
    drop_dead_holders(base, k, now)
    local bucket, bucket_ms = turn_window(lim, win, now, terms.window_ms, terms.margin_ms)
    for n = 17, 16 + 3 * count, 3 do
        count_in(lim, win, tonumber(args[n]), tonumber(args[n + 1]), tonumber(args[n + 2]))
    end
    local pause_ms = tonumber(args[12])
    local blocked = number_of(lim, 'blocked')
    if pause_ms > 0 and now + pause_ms > blocked then
        blocked = now + pause_ms
        redis.call('HSET', lim, 'blocked', blocked)
    end
    propose(lim, args[13], args[14], args[15])

    local limit = math.huge
    if tonumber(args[9]) > 0 then
        limit = math.floor(tonumber(redis.call('HGET', lim, 'limit') or args[9]))
    end
    if tonumber(args[8]) > 0 then limit = math.min(limit, tonumber(args[8])) end
    local allowed, keep = share_out(base, k, worker, limit, in_use, wanted)
    if allowed == 0 and wanted == 0 then
        drop_holder(base, k, worker)
    else
        redis.call('ZADD', key(base, 'holders', k), now + tonumber(args[3]), worker)
    end

    local granted, billed, wait_ms = 0, 0, 0
    local wishes = {}
    local most = math.min(#args - 16 - 3 * count, allowed - in_use)
    for n = 1, most do wishes[n] = tonumber(args[16 + 3 * count + n]) end
    if now < blocked then
        wait_ms = blocked - now
    elseif most > 0 then
        granted, billed, wait_ms = fit(lim, win, bucket, bucket_ms, now, terms, wishes)
        if granted > 0 then count_in(lim, win, bucket, granted, billed) end
    end
    redis.call('PEXPIRE', lim, LIMIT_TTL_MS)
    redis.call('PEXPIRE', win, LIMIT_TTL_MS)
    local known = redis.call('HMGET', lim, 'version', 'state', 'limit', 'held', 'requests', 'tokens')
    return {
        granted, tostring(bucket), allowed, keep and 1 or 0, math.ceil(wait_ms),
        math.max(0, blocked - now), tonumber(known[1] or '0'), known[2] or '', known[3] or '0',
        tostring(now), tonumber(known[4] or '0'), tonumber(known[5] or '0'), tonumber(known[6] or '0'),
    }
end

-- permits: all limit keys in numbers.
--   {{key, held, unmet, workers, requests, tokens, limit, paused_ms}...}
-- limit: the adaptive one; '0' where there is none.
local function permits(keys, args)
    local base = keys[1]
    local now = now_ms()
    local answer = {}
    for _, k in ipairs(redis.call('SMEMBERS', key(base, 'limits'))) do
        local lim = key(base, 'lim', k)
        if redis.call('EXISTS', lim) == 0 then
            redis.call('SREM', key(base, 'limits'), k)
        else
            drop_dead_holders(base, k, now)
            answer[#answer + 1] = {
                k, number_of(lim, 'held'), number_of(lim, 'unmet'),
                redis.call('HLEN', key(base, 'hold', k)), number_of(lim, 'requests'),
                number_of(lim, 'tokens'), redis.call('HGET', lim, 'limit') or '0',
                math.max(0, number_of(lim, 'blocked') - now),
            }
        end
    end
    return answer
end

redis.register_function('ef1_permit', permit)
redis.register_function('ef1_permits', permits)
