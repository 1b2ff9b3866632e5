#!/bin/bash
# Webhooks to a real HTTP server: a pause, an end and a failed gate are told, signed, as JSON and as Slack takes
# it; a receiver that is away gets them when it is back, also if the coordinator is killed meanwhile; nothing is told twice.
# Usage: webhook_session.sh BIN_DIR DATASET
bin=$1
dataset=$2
here=$(dirname "$0")
before_start=start_receiver
coordinator_flags=""
start_receiver() {
    python3 "$here/webhook_receiver.py" "$work" 2> "$work/receiver.log" & pids+=($!)
    await_file "$work/hook.port"
    hook="http://127.0.0.1:$(cat "$work/hook.port")"
    printf 'a signing key' > "$work/hook.key"
    cat > "$work/webhooks.yaml" <<EOF
link: https://evalfleet.example.com/
webhooks:
  - {name: ops, url: "$hook/json", secret_file: $work/hook.key}
  - {name: chat, url_env: CHAT_URL, format: slack, events: [run.ended, gate.failed], runs: "night*"}
EOF
    export CHAT_URL=$hook/services/a-secret-path
    coordinator_flags="--webhooks $work/webhooks.yaml"
}
source "$here/session.sh"
export EVALFLEET_COORDINATOR_URL=$url EVALFLEET_TOKEN=$token
ef() { "$bin/evalfleet" "$@"; }
# Waits until the receiver took so many events (of all paths) of a run.
await_taken() {
    for _ in $(seq 900); do
        [ -f "$work/hook.log" ] && [ "$(grep -c "\"away\": false.*$1" "$work/hook.log")" -ge "$2" ] && return 0
        sleep 0.1
    done
    fail "not told: $(cat "$work/hook.log" 2>/dev/null)"
}
await_refused() {
    for _ in $(seq 900); do grep -q "\"away\": true.*$1" "$work/hook.log" 2>/dev/null && return 0; sleep 0.1; done
    fail "the receiver was not called"
}
told() { python3 "$here/webhook_check.py" "$work/hook.log" "$1" "a signing key"; }

cat > "$work/run.yaml" <<EOF
version: 1
name: nightly
dataset: {path: $dataset, id: qa, version: "1"}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
policy: {gates: {min_pass_rate: 1, min_aggregate_score: 0.01}}
repeats: 3
run_labels: {branch: main}
EOF

say "a pause, the end and the gate that failed are told"
first=$(ef submit "$work/run.yaml")
ef pause "$first" > /dev/null
await_taken "$first" 1
grep -q 'run.paused' "$work/hook.log" || fail "the pause was not told"
ef resume "$first" > /dev/null
await_taken "$first" 5  # pause, end and gate as JSON, end and gate to the chat
told "$first"

say "who is away is told later, whoever dies meanwhile"
touch "$work/away"
second=$(ef submit "$work/run.yaml")
for _ in $(seq 900); do [ "$(ef status "$second" --json | field state)" = done ] && break; sleep 0.1; done
await_refused "$second"
kill -9 "$coordinator"; wait "$coordinator" 2>/dev/null || true
start_coordinator
rm "$work/away"
await_taken "$second" 4
told "$second"
kill -9 "$coordinator"; wait "$coordinator" 2>/dev/null || true
before=$(wc -l < "$work/hook.log")
start_coordinator
third=$(EVALFLEET_COORDINATOR_URL=$url ef submit "$work/run.yaml")
await_taken "$third" 4
[ "$(tail -n +$((before + 1)) "$work/hook.log" | grep -cv "$third")" = 0 ] || fail "old news was told again"

say "each delivery stands in the log, and no secret"
grep -q '"msg":"webhook delivered".*"webhook":"ops".*"event":"gate.failed"' "$work/coordinator.log" || fail "no line of a delivery"
grep -q 'webhook not taken; trying again' "$work/coordinator.log" || fail "no line of a refusal"
! grep -q -e a-secret-path -e "a signing key" "$work"/*.log.coordinator "$work/coordinator.log" 2>/dev/null || fail "a secret is in the log"
[ -z "$(find "$work/store/webhooks" -name '*run.ended*')" ] || fail "something still waits"

say "a file that is wrong is refused at the start"
echo 'webhooks: [{name: x, url: "http://x", formt: slack}]' > "$work/webhooks.yaml"
code=0; "$bin/evalfleet-coordinator" --redis "unix://$work/redis.sock" --store "$work/other" --listen 127.0.0.1:0 \
    --webhooks "$work/webhooks.yaml" > "$work/refused" 2>&1 || code=$?
[ $code != 0 ] && grep -q 'formt' "$work/refused" || fail "it was taken: $(cat "$work/refused")"
say "all is well"
