#!/bin/bash
# What a run that names a baseline ends with, for whoever waits for it: 0 if it is no worse, 1 if it is
# worse, 3 if that cannot be told, 2 for a baseline that is not there. Its gates hold whatever comes.
# And weights that do not add up to 1, which nothing accepts.
# Usage: baseline_session.sh BIN_DIR DATASET
bin=$1
dataset=$2
has_worse=1
source "$(dirname "$0")/session.sh"
export EVALFLEET_COORDINATOR_URL=$url EVALFLEET_TOKEN=$token
# Runs a command that must end with an exit code; its output is in $work/out and $work/err.
ends() {
    local expected=$1 code=0; shift
    "$bin/evalfleet" "$@" > "$work/out" 2> "$work/err" || code=$?
    [ $code = "$expected" ] || fail "evalfleet $* ended with $code, not $expected: $(cat "$work/out" "$work/err")"
    # Two runs of one second have ids in any order, so the list does not tell which is the last.
    if [ "$1" = submit ] && [ $code != 2 ]; then last_run=$(head -n 1 "$work/out"); fi
}
says() { grep -q -- "$1" "$work/out" "$work/err" || fail "not said: $1; but: $(cat "$work/out" "$work/err")"; }
# make NAME DATASET [MORE LINES]: a run file.
make() {
    cat > "$work/$1.yaml" <<END
version: 1
name: $1
dataset: {path: $2, id: $(basename "$2" .jsonl), version: "1"}
model: {provider: ${provider:-sim}, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
policy: {gates: {min_aggregate_score: 0, min_pass_rate: 0, max_faithfulness_failure_rate: 1, max_latency_e2e_p95_ms: 600000}}
${3:-}
END
}
# The latencies are those of a busy machine: they may be ten times as long.
margin() { echo "baseline: {name: $1, margin: {rubric_pass_rate: $2, latency_e2e_ms: 10}}"; }
# ends_everywhere CODE: what was said of the last run is said again by whoever asks.
ends_everywhere() {
    ends "$1" watch "$last_run"
    ends "$1" report "$last_run"
    ends "$1" report "$work/store/runs/$last_run"
}

say "the baseline"
make base "$dataset"
ends 0 submit "$work/base.yaml" --wait
ends 0 baseline set main "$last_run"

say "no worse than the margin"
make same "$dataset" "$(margin main 0.2)"
ends 0 submit "$work/same.yaml" --wait
ends_everywhere 0; says "no worse than the baseline main"
ends 0 run "$work/same.yaml" --coordinator-url "$url"

say "the margin is too small for so few samples"
make unknown "$dataset" "$(margin main 0.001)"
ends 3 submit "$work/unknown.yaml" --wait; says "not known to be as good as the baseline main"
ends_everywhere 3; says "not known to be as good as the baseline main"
ends 3 run "$work/unknown.yaml" --coordinator-url "$url"
ends 0 list --name unknown; says "cannot tell"

say "worse"
provider=worse make worse "$dataset" "$(margin main 0.2)"
ends 1 submit "$work/worse.yaml" --wait; says "significantly worse than the baseline main"
ends_everywhere 1; says "significantly worse than the baseline main"
ends 1 run "$work/worse.yaml" --coordinator-url "$url"

say "fewer than 6 samples"
head -n 5 "$dataset" > "$work/five.jsonl"
make few "$work/five.jsonl"
ends 0 submit "$work/few.yaml" --wait
ends 0 baseline set few "$last_run"
make fewer "$work/five.jsonl" "baseline: few"
ends 3 submit "$work/fewer.yaml" --wait; says "not known to be as good"; says "samples"
ends_everywhere 3

say "another data set"
make other "$work/five.jsonl" "baseline: main"
ends 3 submit "$work/other.yaml" --wait; says "not comparable with the baseline main"
ends_everywhere 3

say "a baseline that is not there, and margins that make no sense"
make none "$dataset" "baseline: nobody"
ends 2 submit "$work/none.yaml" --wait; says "baseline: there is none called 'nobody'"
make bad "$dataset" "baseline: {name: main, margin: {aggregate_score: -0.2}}"
ends 2 submit "$work/bad.yaml"; says "bad.yaml:7"; says "baseline.margin.aggregate_score"
ends 2 validate "$work/bad.yaml"; says "baseline.margin.aggregate_score"
make bad "$dataset" "baseline: {name: main, margin: {nonsense: 0.2}}"
ends 2 submit "$work/bad.yaml"; says "nonsense"; says "allowed: aggregate_score"

say "weights that do not add up to 1"
runs=$("$bin/evalfleet" list --quiet | wc -l)
sed 's/^policy:.*/policy: {weights: {accuracy: 45, faithfulness: 30, latency: 15, token_efficiency: 10}}/' \
    "$work/base.yaml" > "$work/weights.yaml"
for command in validate submit run; do
    ends 2 $command "$work/weights.yaml"; says "weights.yaml:6"; says "policy.weights: expected weights that add up to 1"
done
echo '{"weights": {"accuracy": 0.5}}' > "$work/policy.json"
of_base="$work/store/runs/$("$bin/evalfleet" list --name base --quiet)"
for command in "reduce $of_base" "derive $of_base/records.jsonl" "rejudge $last_run"; do
    ends 2 $command --policy "$work/policy.json"; says "policy.json"; says "weights: expected weights that add up to 1"
done
# Straight to the API, as YAML and as JSON.
refused() {
    local status
    status=$(curl -s -o "$work/out" -w '%{http_code}' -H "Authorization: Bearer $token" --data-binary "$2" "$url/api/v1/$1")
    [ "$status" = 422 ] || fail "status $status: $(cat "$work/out")"
    says '"field":"policy.weights"'; says "add up to 1"
}
run_json='{"version":1,"name":"w","dataset":{"id":"five","version":"1"},"model":{"provider":"sim","name":"m","version":"1"},'
run_json+='"judge":{"provider":"sim","name":"j","version":"1"},"policy":{"weights":{"accuracy":0.5}}}'
refused runs "$run_json"
refused runs "$(sed 's/^dataset:.*/dataset: {id: five, version: "1"}/' "$work/weights.yaml")"
refused "runs/$last_run/rejudge" '{"policy":{"weights":{"accuracy":0.5}}}'
[ "$("$bin/evalfleet" list --quiet | wc -l)" = "$runs" ] || fail "a run was started"
