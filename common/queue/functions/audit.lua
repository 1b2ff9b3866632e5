
-- Results are brought home, and the coordinator repairs what Redis lost. All of it in slices: the caller
-- gives so few indexes at a time that no call holds Redis up.

-- ack RUN EPOCH ID...: results that are in the coordinator's log.
--   {'OK', removed} {'NORUN'} {'FENCED', epoch}
local function ack(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local removed = 0
    for n = 3, #args, MANY do
        removed = removed + redis.call('XDEL', key(base, 'res', run), unpack(args, n, math.min(n + MANY - 1, #args)))
    end
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

-- jobs RUN EPOCH CURSOR COUNT: audit, what is in the window, about COUNT at a time. CURSOR: 0 at first,
-- then what the last answer said, until that is 0. One that is there all the time is given at least once.
--   {'OK', cursor, index...} {'NORUN'} {'FENCED', epoch}
local function jobs(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local slice = redis.call('HSCAN', key(base, 'job', run), args[3], 'COUNT', args[4])
    local answer = {'OK', slice[1]}
    for n = 1, #slice[2], 2 do answer[#answer + 1] = slice[2][n] end
    return answer
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

-- In the window, but in nobody's hands: ready, or forgotten by the list of those that are.
local function is_unheld(base, run, index)
    local ref = ref_of(run, index)
    return redis.call('HEXISTS', key(base, 'job', run), index) == 1
        and not redis.call('ZSCORE', key(base, 'lease'), ref)
        and not redis.call('ZSCORE', key(base, 'dly'), ref)
end

-- unheld RUN EPOCH INDEX...: audit, which of the jobs are in the window and neither leased nor delayed.
--   {'OK', index...} {'NORUN'} {'FENCED', epoch}
local function unheld(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local found = {'OK'}
    for n = 3, #args do
        if is_unheld(base, run, args[n]) then found[#found + 1] = args[n] end
    end
    return found
end

-- mend RUN EPOCH INDEX...: audit, jobs that are in the window but not in the list of those that are
-- ready, as the caller has found: those that are neither leased nor delayed now are made ready. One that
-- is ready after all stands in the list twice then, which take finds out. (Version 4 gave no indexes and
-- had the whole window looked through; for it nothing is done.)
--   {'OK', mended} {'NORUN'} {'FENCED', epoch}
local function mend(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local now = now_ms(base)
    local mended = 0
    for n = 3, #args do
        if is_unheld(base, run, args[n]) then
            make_ready(base, run, args[n], now, false)
            mended = mended + 1
        end
    end
    if mended > 0 then wake(base) end
    return {'OK', mended}
end

-- cut RUN EPOCH MAX_BYTES: the oldest result, if it is larger than that, is more than its reader takes:
-- it is replaced by one of kind dead that says so.
--   {'OK', cut} {'NORUN'} {'FENCED', epoch}
local function cut(keys, args)
    local base, run = keys[1], args[1]
    local refused = refuse(base, run, args[2])
    if refused then return refused end
    local first = redis.call('XRANGE', key(base, 'res', run), '-', '+', 'COUNT', 1)[1]
    if not first then return {'OK', 0} end
    local bytes, fields = 0, {}
    for n = 1, #first[2], 2 do
        fields[first[2][n]] = first[2][n + 1]
        bytes = bytes + #first[2][n] + #first[2][n + 1]
    end
    if bytes <= tonumber(args[3]) then return {'OK', 0} end
    redis.call('XDEL', key(base, 'res', run), first[1])
    if fields.i and #fields.i < 20 then
        add_result(base, run, fields.i, 0, 'dead',
                   string.format('its result has %.0f bytes; at most %s can be read', bytes, args[3]))
    end
    return {'OK', 1}
end
