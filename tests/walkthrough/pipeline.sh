#!/bin/bash
# The script for pipelines does what docs/ci.md says: reports, and the exit code of the verdict. Its examples name it, and
# only flags that exist. Usage: pipeline.sh EVALUATE_SH BIN_DIR
set -eu
evaluate=$1
export PATH=$2:$PATH
folder=$(dirname "$evaluate")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
ends() {
    local expected=$1 code=0; shift
    "$evaluate" "$@" > "$work/out" 2> "$work/err" || code=$?
    [ $code = "$expected" ] || fail "evaluate.sh $* ended with $code, not $expected: $(cat "$work/out" "$work/err")"
}

evalfleet init "$work/evaluation" > /dev/null
cd "$work"
# With gates that chance cannot fail, and with one that nothing passes.
sed 's/min_pass_rate: 0.85, max_latency_e2e_p95_ms: 10000/min_pass_rate: 0, min_aggregate_score: 0, max_faithfulness_failure_rate: 1/' \
    evaluation/run.yaml > evaluation/easy.yaml
sed 's/max_latency_e2e_p95_ms: 10000/max_latency_e2e_p95_ms: 0.001/' evaluation/run.yaml > evaluation/hard.yaml
ends 0 evaluation/easy.yaml good --simulate --label "commit=41ed580" --label "branch=main"
for file in junit.xml report.md report.html run/run.json; do [ -s "good/$file" ] || fail "no $file"; done
grep -q '"commit": "41ed580"' good/run/run.json || fail "no label"
grep -q '<testsuite' good/junit.xml || fail "no JUnit"
ends 1 evaluation/hard.yaml bad --simulate
[ -s bad/report.md ] || fail "no report of a run that is not ready"
echo 'nonsense: 1' >> evaluation/hard.yaml
ends 2 evaluation/hard.yaml wrong --simulate
[ ! -e wrong/report.md ] || fail "a report of nothing"

known=$(evalfleet run --help)
for example in github.yml gitlab-ci.yml Jenkinsfile; do
    grep -q 'evaluate.sh evaluation/run.yaml results' "$folder/$example" || fail "$example does not call the script"
    for flag in $(grep -A3 'evaluate.sh' "$folder/$example" | grep -o -e '--[a-z-]*' | sort -u); do
        grep -q -e "  $flag" <<< "$known" || fail "$example: $flag is no flag of run"
    done
    # What comes from outside never stands in the text of a script.
    ! grep -E 'sh|run:|script' "$folder/$example" | grep -q 'head_ref' || fail "$example: a branch's name in a script"
done
echo "all is well"
