#!/bin/sh
# What a pipeline does: evaluates a run file, leaves reports behind, and ends with the verdict.
#
#   evaluate.sh RUN.yaml RESULTS [flags of `evalfleet run`, such as --label branch=main]
#
# In RESULTS are then run/ (the run's folder), junit.xml, report.md and report.html. The exit code is the run's:
# 0 release-ready; 1 a gate failed, or it is worse than its baseline; 2 the input is wrong; 3 it could not be measured.
set -u
run_file=$1
results=$2
shift 2
mkdir -p "$results"
code=0
evalfleet run "$run_file" --out "$results/run" --no-progress "$@" || code=$?
if [ -f "$results/run/summary.json" ]; then
    evalfleet report "$results/run" --format junit --out "$results/junit.xml"
    evalfleet report "$results/run" --format md --out "$results/report.md"
    evalfleet report "$results/run" --format html --out "$results/report.html"
fi
exit $code
