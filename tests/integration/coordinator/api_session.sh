#!/bin/bash
# A whole session with nothing but curl: upload, submit twice under one key, watch, pause, kill -9 the
# coordinator, start it again, resume, done, records, compare, rejudge. With tokens, as a scheduler
# would do it. Usage: api_session.sh BIN_DIR DATASET
bin=$1
dataset=$2
source "$(dirname "$0")/session.sh"
api="$url/api/v1"

call() { curl -fsS -H "Authorization: Bearer $token" "$@"; }
status() { curl -s -o "$work/body" -w '%{http_code}' -H "Authorization: Bearer $token" "$@"; }
# Whether the answer to a call holds a text.
has() { local text=$1; shift; call "$@" > "$work/body" && grep -qi -- "$text" "$work/body"; }
state() { call "$api/runs/$1" | field state; }
await_state() {
    for _ in $(seq 900); do [ "$(state "$1")" = "$2" ] && return 0; sleep 0.1; done
    fail "run $1 is $(state "$1"), not $2"
}

say "nobody gets in without a token"
[ "$(curl -s -o /dev/null -w '%{http_code}' "$api/runs")" = 401 ] || fail "no token was needed"

say "upload"
hash=$(call -T "$dataset" "$api/datasets/qa?version=1" | field hash)
[ "$hash" = "$(sha256sum "$dataset" | cut -d' ' -f1)" ] || fail "the hash is $hash"
[ "$(status -T "$dataset" "$api/datasets/qa?version=1")" = 200 ] || fail "the same upload is not the same"

say "submit twice with one key"
cat > "$work/run.yaml" <<END
version: 1
name: nightly
dataset: {id: qa, version: "1"}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
repeats: 6
END
run=$(call -H "Idempotency-Key: night-1" --data-binary "@$work/run.yaml" "$api/runs" | field run_id)
[ -n "$run" ] || fail "no run"
again=$(call -H "Idempotency-Key: night-1" --data-binary "@$work/run.yaml" "$api/runs" | field run_id)
[ "$run" = "$again" ] || fail "a second run was made"
[ "$(status -H "Idempotency-Key: night-1" --data-binary "name: other" "$api/runs")" = 422 ] || fail "a key was used twice"

say "watch"
curl -sS -N -H "Authorization: Bearer $token" "$api/runs/$run/events" > "$work/events" 2> /dev/null & watcher=$!; pids+=($watcher)
for _ in $(seq 600); do grep -q '^event: progress' "$work/events" && break; sleep 0.1; done
grep -q '^event: progress' "$work/events" || fail "no event"

say "pause, kill -9, start again"
has '"state":"paused"' -X POST "$api/runs/$run/pause" || fail "not paused"
kill -9 "$coordinator"; wait "$coordinator" 2>/dev/null || true
wait "$watcher" 2>/dev/null || true
start_coordinator
api="$url/api/v1"
[ "$(state "$run")" = paused ] || fail "it was forgotten that the run was paused"
again=$(call -H "Idempotency-Key: night-1" --data-binary "@$work/run.yaml" "$api/runs" | field run_id)
[ "$run" = "$again" ] || fail "the key was forgotten"

say "resume, and watch from where we were"
last=$(sed -n 's/^id: //p' "$work/events" | tail -n 1)
call -X POST "$api/runs/$run/resume" > /dev/null
curl -sS -N --max-time 120 -H "Authorization: Bearer $token" -H "Last-Event-ID: $last" "$api/runs/$run/events" \
    > "$work/events2"
[ "$(grep -c '^event: end' "$work/events2")" = 1 ] || fail "the end was not told once"
await_state "$run" done
[ "$(status -H "Last-Event-ID: $(sed -n 's/^id: //p' "$work/events2" | tail -n 1)" "$api/runs/$run/events")" = 204 ] \
    || fail "who saw the end is told again"

say "results"
samples=$(wc -l < "$dataset")
has "\"total\":$((samples * 6))" "$api/runs/$run/records?limit=1" || fail "not every trial was recorded once"
has '"release_ready"' "$api/runs/$run/summary" || fail "no verdict"
# Also while this coordinator, which brought it to its end, still keeps it.
has '"verdict":"\(ready\|not_ready\)"' "$api/runs/$run" || fail "no verdict of the run"
has '"ended_at":"20' "$api/runs/$run" || fail "no end of the run"
name=$(call "$api/runs/$run" | field name)
has "$run" "$api/trends?name=$name" || fail "not in the trend of its name"
has '<html' "$api/runs/$run/report.html" || fail "no page"
has 'pass' "$api/runs/$run/report.txt" || fail "no text"
has "$run" "$api/runs?state=done&name=night*" || fail "not listed"
has '"name":"one-' "$api/workers" || fail "the workers are not known"

say "a second run, and the comparison"
second=$(call -H "Idempotency-Key: night-2" --data-binary "@$work/run.yaml" "$api/runs" | field run_id)
[ "$second" != "$run" ] || fail "no second run"
await_state "$second" done
has '"shared_trials"' "$api/compare?base=$run&candidate=$second" || fail "not compared"

say "rejudge"
third=$(call -d '{"judge":{"provider":"sim","name":"j2","version":"1"}}' "$api/runs/$run/rejudge" | field run_id)
await_state "$third" done
[ "$third" != "$run" ] || fail "nothing was judged anew"

say "audit"
grep -q 'submit_run' "$work/coordinator.log" || fail "no line of who submitted"
! grep -q "$token" "$work"/*.log || fail "the token is in a log"
say "all is well"
