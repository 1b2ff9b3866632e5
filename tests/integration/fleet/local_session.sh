#!/bin/bash
# Runs in folders, without a coordinator of others: labels, a baseline, what could not be measured
# tried again, and answers judged anew. Usage: local_session.sh BIN_DIR
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "-- $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
# Runs a command that must end with one of some exit codes; its output is in $work/out and $work/err.
ends() {
    local expected=" $1 " code=0; shift
    "$bin/evalfleet" "$@" > "$work/out" 2> "$work/err" || code=$?
    case $expected in *" $code "*) ;; *) fail "evalfleet $* ended with $code: $(cat "$work/out" "$work/err")" ;; esac
}
says() { grep -q -- "$1" "$work/out" "$work/err" || fail "not said: $1; but: $(cat "$work/out" "$work/err")"; }
# The value of a member, a text, of a pretty JSON file.
member() { sed -n "s/^  *\"$2\": \"\(.*\)\",*\$/\1/p" "$1" | head -n 1; }

for i in $(seq 12); do echo "{\"id\":\"q$i\",\"task\":\"question $i?\",\"reference_answer\":\"answer $i\"}"; done > "$work/qa.jsonl"
# Nobody listens at port 1: only a simulated provider answers.
run_file() {
    cat <<EOF
version: 1
name: $1
dataset: {path: qa.jsonl}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
limits: {max_attempts: 1, give_up_after_ms: 0}
providers:
  sim: {type: openai, base_url: "http://127.0.0.1:1/v1"}
EOF
}
run_file main > "$work/main.yaml"
ends "0 1" run "$work/main.yaml" --simulate --out "$work/main" --label commit=41ed580 --description "before 2.4"
says "Labels"; says "commit=41ed580"; says "before 2.4"
[ "$(member "$work/main/run.json" commit)" = 41ed580 ] || fail "the label is not in run.json"
main=$(member "$work/main/run.json" run_id)

say "a baseline in a folder"
{ run_file candidate; echo "baseline: {path: main}"; } > "$work/candidate.yaml"
ends 0 validate "$work/candidate.yaml" --simulate
ends "0 1" run "$work/candidate.yaml" --simulate --out "$work/candidate"
says "the baseline main ($main)"
[ "$(member "$work/candidate/run.json" baseline_run_id)" = "$main" ] || fail "compared with another run"
[ -f "$work/candidate/regression.json" ] || fail "there is no comparison"
[ ! -e "$work/candidate/.fleet" ] || fail "the fleet's folder was left"
ends 0 verify "$work/candidate"
ends 0 verify "$work/main"

say "what could not be measured is tried again"
ends 2 retry "$work/main" --providers "$work/main.yaml" --simulate --out "$work/none"
says "none failed for infrastructure reasons"
[ ! -e "$work/none" ] || fail "a folder was left"
{ run_file away; echo "baseline: {path: main}"; } > "$work/away.yaml"
ends 3 run "$work/away.yaml" --out "$work/away" --no-progress
before=$(cat "$work/away/records.jsonl" | sha256sum)
ends 2 retry "$work/away" --simulate; says "--providers: is required"
ends 2 retry "$work/away" --simulate --providers "$work/away.yaml"; says "--baseline: is required"; says "$main"
ends "0 1" retry "$work/away" --simulate --providers "$work/away.yaml" --baseline "$work/main" --out "$work/again"
[ "$(member "$work/again/run.json" retried_from)" = "$(member "$work/away/run.json" run_id)" ] || fail "not made from it"
[ "$(wc -l < "$work/again/records.jsonl")" = 12 ] || fail "not every trial is there"
says "the baseline main ($main)"
[ "$(cat "$work/away/records.jsonl" | sha256sum)" = "$before" ] || fail "the first run was changed"
ends 0 verify "$work/again"

say "the doctor looks at it all"
ends 0 doctor "$work/main.yaml" --simulate --call --store "$work"
says "ok    run file"; says "ok    call sim/m@1: answers"; says "ok    call sim/j@1 as judge: answers"
ends 3 doctor "$work/main.yaml" --call; says "fail  call sim/m@1"
ends 2 doctor --call; says "--call: needs RUN.yaml"
ends 3 doctor --redis "redis://:hunter2secret@127.0.0.1:1" --json; says '"healthy": false'
! grep -q hunter2secret "$work/out" "$work/err" || fail "a password was shown"

say "answers are judged anew"
ends "0 1" rejudge "$work/main" --judge sim/j2@1 --providers "$work/main.yaml" --simulate --out "$work/judged"
[ "$(member "$work/judged/run.json" rejudged_from)" = "$main" ] || fail "not made from it"
[ "$(member "$work/judged/run.json" commit)" = 41ed580 ] || fail "the label was lost"
echo '{"gates": {"min_pass_rate": 0}}' > "$work/policy.json"
ends "0 1" rejudge "$work/judged" --policy "$work/policy.json" --providers "$work/main.yaml" --simulate --out "$work/strict"
ends 2 rejudge "$work/main" --judge nobody/j@1 --providers "$work/main.yaml" --simulate --out "$work/no"
says "judge.provider"

say "people score the answers"
for i in $(seq 11); do echo "{\"sample_id\":\"q$i\",\"correctness_score\":$((i > 6 ? 2 : 0)),\"faithfulness_score\":2}"; done > "$work/labels.jsonl"
ends 3 rejudge "$work/main" --labels "$work/labels.jsonl" --out "$work/people"
says "PARTLY MEASURED"  # q12 has no label
[ "$(member "$work/people/run.json" evaluator_model_id)" = manual ] || fail "a judge is named"
[ "$(member "$work/people/run.json" evaluator_version)" = "sha256:$(sha256sum "$work/labels.jsonl" | cut -c1-12)" ] || fail "another rubric"
[ "$(grep -c '"correctness_score":2' "$work/people/records.jsonl")" = 5 ] || fail "other scores"
[ "$(grep -c '"evaluator_error":"missing_label"' "$work/people/records.jsonl")" = 1 ] || fail "q12 has a score"
ends 0 verify "$work/people"
ends 0 derive "$work/main/records.jsonl" --labels "$work/labels.jsonl" --out "$work/derived.jsonl"
scores() { grep -o '"correctness_score":[^,]*' "$1"; }
[ "$(scores "$work/derived.jsonl")" = "$(scores "$work/people/records.jsonl")" ] || fail "derive scores otherwise"
ends 2 rejudge "$work/main" --labels "$work/labels.jsonl" --judge sim/j@1 --out "$work/no"; says "allowed: one of them"
ends 2 retry 20261116-020000-3f9a2c-x --out "$work/x"; says "--out: only for the folder of a run"
say "all is well"
