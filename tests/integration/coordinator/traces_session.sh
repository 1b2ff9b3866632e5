#!/bin/bash
# Traces to a real HTTP server that checks their shape: those of all trials of a run, with secrets from a variable and
# a file, told again after a 503; of a sample of them; a collector that is away costs the run nothing; a run with a fleet of
# its own tells its last trials, too. Usage: traces_session.sh BIN_DIR DATASET
bin=$1
dataset=$2
here=$(dirname "$0")
before_start=start_collector
coordinator_flags=""
write_config() {
    printf 'from a file\n' > "$work/otlp.key"
    cat > "$work/traces.yaml" <<EOF
endpoint: http://127.0.0.1:$(cat "$work/otlp.port")
sample: $1
headers:
  Authorization: {env: OTLP_TOKEN, prefix: "Bearer "}
  X-Key: {file: $work/otlp.key}
resource: {service.name: evals}
EOF
}
start_collector() {
    python3 "$here/otlp_collector.py" "$work" 2> "$work/collector.log" & pids+=($!)
    await_file "$work/otlp.port"
    export OTLP_TOKEN="from a variable"
    write_config 1
    coordinator_flags="--traces $work/traces.yaml"
}
source "$here/session.sh"
export EVALFLEET_COORDINATOR_URL=$url EVALFLEET_TOKEN=$token
ef() { "$bin/evalfleet" "$@"; }
metric() { curl -fs "$url/metrics" | sed -n "s/^evalfleet_coordinator_traces_$1_total //p"; }
await_told() {
    for _ in $(seq 600); do [ "$(( $(metric sent) + $(metric dropped) ))" -ge "$1" ] && return 0; sleep 0.1; done
    fail "sent $(metric sent), dropped $(metric dropped) of $1"
}
records_of() { echo "$work/store/runs/$1/records.jsonl"; }
traces_of() { python3 "$here/otlp_check.py" "$work/otlp.log" "$(records_of "$1")" || fail "the traces are wrong"; }

run_file() {
    cat <<EOF
version: 1
name: nightly
dataset: {path: $dataset, id: qa, version: "1"}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
repeats: 3
EOF
}
run_file > "$work/run.yaml"
ends() { local code=0; ef submit "$work/run.yaml" --wait --json > "$work/out" || code=$?; [ $code -le 1 ] || fail "the run ended with $code"; }
newest() { ls "$work/store/runs" | sort | tail -n 1; }

say "every trial has its trace, although the collector was away at first"
ends; first=$(newest)
trials=$(wc -l < "$(records_of "$first")")
await_told "$trials"
[ ! -e "$work/otlp.faults" ] || fail "$(head -c 3000 "$work/otlp.faults")"
[ "$(traces_of "$first")" = "$trials" ] || fail "$(traces_of "$first") traces of $trials trials"
grep -q '"service": "evals"' "$work/otlp.log" || fail "the resource is not the operator's"

say "a collector that is away costs the run nothing"
touch "$work/away"
ends; second=$(newest)
[ "$(wc -l < "$(records_of "$second")")" = "$trials" ] || fail "trials are missing"
rm "$work/away"
kill "$coordinator"; wait "$coordinator" 2>/dev/null || true
[ "$(traces_of "$second")" = "$trials" ] || fail "the last traces were not told at the end: $(traces_of "$second")"

say "a part of the trials, the same one whoever asks"
write_config 0.3
start_coordinator
export EVALFLEET_COORDINATOR_URL=$url
ends; third=$(newest)
kill "$coordinator"; wait "$coordinator" 2>/dev/null || true
part=$(traces_of "$third")
[ "$part" -gt 0 ] && [ "$part" -lt "$trials" ] || fail "$part of $trials trials were told"

say "no secret is in a log"
! grep -q -e "from a variable" -e "from a file" "$work/coordinator.log" || fail "a secret is in the log"

say "a run with a fleet of its own tells its traces, too"
write_config 1
{ run_file; cat "$work/providers.yaml"; } > "$work/local.yaml"
code=0; env -u EVALFLEET_COORDINATOR_URL "$bin/evalfleet" run "$work/local.yaml" --traces "$work/traces.yaml" --out "$work/local" --no-progress \
    > "$work/out" 2>&1 || code=$?
[ $code -le 1 ] || fail "the run ended with $code: $(cat "$work/out")"
told=$(python3 "$here/otlp_check.py" "$work/otlp.log" "$work/local/records.jsonl") || fail "the traces are wrong"
[ "$told" = "$(wc -l < "$work/local/records.jsonl")" ] || fail "$told traces"
[ ! -e "$work/otlp.faults" ] || fail "$(head -c 3000 "$work/otlp.faults")"

say "what is wrong is refused before anything starts"
code=0; env -u OTLP_TOKEN -u EVALFLEET_COORDINATOR_URL "$bin/evalfleet" run "$work/local.yaml" --traces "$work/traces.yaml" --out "$work/none" \
    > "$work/out" 2>&1 || code=$?
[ $code = 2 ] && grep -q 'OTLP_TOKEN' "$work/out" || fail "ended with $code: $(cat "$work/out")"
[ ! -e "$work/none" ] || fail "a folder was left"
echo 'endpiont: http://x' > "$work/traces.yaml"
code=0; "$bin/evalfleet-coordinator" --redis "unix://$work/redis.sock" --store "$work/other" --listen 127.0.0.1:0 \
    --traces "$work/traces.yaml" > "$work/refused" 2>&1 || code=$?
[ $code != 0 ] && grep -q 'endpiont' "$work/refused" || fail "it was taken: $(cat "$work/refused")"
say "all is well"
