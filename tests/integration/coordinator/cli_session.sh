#!/bin/bash
# A whole session with the command line alone: submit twice under one key, pause, list, watch, kill -9
# the coordinator meanwhile, start it again, resume, done, report, compare, rejudge,
# baseline, retry, cancel, tokens, and what is said when something is wrong.
# Usage: cli_session.sh BIN_DIR DATASET
bin=$1
dataset=$2
source "$(dirname "$0")/session.sh"
export EVALFLEET_COORDINATOR_URL=$url EVALFLEET_TOKEN=$token
ef() { "$bin/evalfleet" "$@"; }
# Runs a command that must end with an exit code; its output is in $work/out and $work/err.
ends() {
    local expected=$1 code=0; shift
    ef "$@" > "$work/out" 2> "$work/err" || code=$?
    [ $code = "$expected" ] || fail "evalfleet $* ended with $code, not $expected: $(cat "$work/out" "$work/err")"
}
says() { grep -q -- "$1" "$work/out" "$work/err" || fail "not said: $1; but: $(cat "$work/out" "$work/err")"; }
await_state() {
    for _ in $(seq 900); do [ "$(ef status "$1" --json | field state)" = "$2" ] && return 0; sleep 0.1; done
    fail "run $1 is $(ef status "$1"), not $2"
}

cat > "$work/run.yaml" <<END
version: 1
name: nightly
dataset: {path: $dataset, id: qa, version: "1"}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
repeats: 6
END

say "submit twice with one key; the data set goes up once"
ends 0 submit "$work/run.yaml" --idempotency-key night-1
says "uploaded data set qa"
run=$(cat "$work/out")
ends 0 submit "$work/run.yaml" --idempotency-key night-1
[ "$(cat "$work/out")" = "$run" ] || fail "a second run was made"
! grep -q uploaded "$work/err" || fail "it was uploaded again"
ends 0 pause "$run"; says paused  # a busy machine must not end it while we look

say "look"
ends 0 list --state active; says "$run"; says RUN
ends 0 list --quiet; [ "$(cat "$work/out")" = "$run" ] || fail "not one id: $(cat "$work/out")"
ends 0 status "$run"; says "nightly"
ends 0 workers; says "one-"
ends 0 queues; says "pool"

say "watch, kill -9, start again, resume"
ef watch "$run" > "$work/watch.out" 2> "$work/watch.err" & watcher=$!; pids+=("$watcher")
for _ in $(seq 300); do grep -q paused "$work"/watch.* && break; sleep 0.1; done
port=$(cat "$work/port")
kill -9 "$coordinator"; wait "$coordinator" 2>/dev/null || true
ends 3 status "$run"; says "does not answer"
start_coordinator "$port"
ends 0 status "$run"; says paused
ends 0 resume "$run"
code=0; wait "$watcher" || code=$?
[ $code -le 1 ] || fail "watch ended with $code: $(cat "$work/watch.err")"
grep -q "trying again" "$work/watch.err" || fail "watch did not tell that the coordinator was away"
await_state "$run" done
[ -f "$work/store/runs/$run/work/trials.table" ] || fail "the table of the trials was not written at the run's end"
ends $code watch "$run"; says "Pass rate"; says "in a browser: "

say "report"
samples=$(wc -l < "$dataset")
ends $code report "$run"; says "Aggregate score"
ends $code report "$run" --format json; says '"release_ready"'
ends 0 report "$run" --format html --out "$work/report.html"; grep -q '<html' "$work/report.html"
ends $code report "$run" --format md; says '^#'
ends $code report "$run" --format junit; says '<testsuite'
ends $code report "$run" --format csv
head -n 1 "$work/out" | grep -q ',question,context,reference_answer,prompt,answer,rationale' || fail "no texts"
[ "$(grep -c '^[^,]*,[^,]*,[^,]*,[^,]*,"\?[^,]*,[0-9]*,[1-6],' "$work/out")" = $((samples * 6)) ] || fail "not a row a trial"

say "submit --wait, and compare"
ends $code report "$run" --format md --out "$work/report.md" --exit-verdict
ends $code submit "$work/run.yaml" --wait --report; says "Aggregate score"
ends $code submit "$work/run.yaml" --wait; says "Aggregate score"; says "in a browser: "; says "folder: "
second=$(ef list --limit 1 --quiet)
[ "$second" != "$run" ] || fail "no second run"
# The answers are the same, the latencies are those of a busy machine: either verdict may come.
code=0; ef compare "$run" "$second" > "$work/out" 2> "$work/err" || code=$?
[ $code -le 1 ] || fail "compare ended with $code: $(cat "$work/err")"
says "Flipped: none"
ends $code compare "$run" "$second" --json; says '"shared_trials": 372'
ends $code compare "$run" "$second" --format html; says 'default-src .none.'; says "What flipped"
code=0; ef watch "$run" > /dev/null 2>&1 || code=$?
ends 2 compare "$run" "$work"; says "no such folder"
ends $code run "$work/run.yaml" --json --coordinator-url "$url"; says '"run_ids"'

say "rejudge, baseline, retry, cancel"
ends $code rejudge "$run" --judge sim/j2@1 --name again --wait
ends 0 list --name again; says "again"
ends 2 rejudge "$run" --judge nobody/j@1; says "judge.provider"
ends 2 rejudge "$run"; says "--judge, --labels or --policy is required"
echo '{"gates": {"min_pass_rate": 0}}' > "$work/policy.json"
ends 0 rejudge "$run" --policy "$work/policy.json"
ends 0 baseline set main "$run"
ends 0 baseline list; says "$run"
ends 0 baseline remove main
ends 2 retry "$run"; says "none failed for infrastructure reasons"
ends 2 submit "$work/run.yaml" --label branch; says "--label: found 'branch', allowed: KEY=VALUE"
ends 0 submit "$work/run.yaml" --label branch=main --label commit=41ed580 --description "before 2.4"
third=$(cat "$work/out")
ends 0 status "$third"; says "branch=main, commit=41ed580"; says "before 2.4"
ends 0 list --quiet --label branch=main --label commit=41ed580
[ "$(cat "$work/out")" = "$third" ] || fail "not the run with the labels: $(cat "$work/out")"
ends 0 list --quiet --label branch=other; [ ! -s "$work/out" ] || fail "a label was not looked at"
ends 0 cancel "$third"
await_state "$third" cancelled
ends 3 watch "$third"

say "what is wrong is said"
ends 2 status nothing-of-the-kind; says "there is no run"
sed 's/provider: sim, name: m/provider: mian, name: m/' "$work/run.yaml" > "$work/bad.yaml"
ends 2 submit "$work/bad.yaml"; says "bad.yaml:4"; says mian
EVALFLEET_TOKEN=wrong ends 2 list; says "role reader is needed"
EVALFLEET_COORDINATOR_URL=http://127.0.0.1:1 ends 3 list; says "Is a coordinator running there"
ends 2 submit "$work/run.yaml" --report; says "needs --wait"

say "the doctor"
EVALFLEET_REDIS="unix://$work/redis.sock" ends 0 doctor --store "$work"
says "ok    redis: unix://"; says "ok    redis version: 7"; says "ok    function library: version"; says "ok    clock"

say "tokens"
ends 0 token --name lena --role reader
new=$(grep -o 'evalfleet_[0-9a-f]*' "$work/out")
grep -- '- {name' "$work/out" >> "$work/tokens.yaml"
for _ in $(seq 100); do EVALFLEET_TOKEN=$new ef list > /dev/null 2>&1 && break; sleep 0.1; done
EVALFLEET_TOKEN=$new ends 0 list
EVALFLEET_TOKEN=$new ends 2 cancel "$run"; says "role submitter is needed"

say "no secret anywhere"
! grep -q -e "$token" -e "$new" "$work"/*.log || fail "a token is in a log"
say "all is well"
