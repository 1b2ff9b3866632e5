#!/bin/bash
# Runs that are over go into a bucket that checks every signature, and into a folder: by themselves when the
# operator says so, also through refusals, cut connections and a killed coordinator; and by the command, which goes on with an upload
# that was interrupted. Usage: export_session.sh BIN_DIR DATASET
bin=$1
dataset=$2
here=$(dirname "$0")
before_start=start_bucket
coordinator_flags=""
start_bucket() {
    export AWS_ACCESS_KEY_ID=AKIDTEST AWS_SECRET_ACCESS_KEY=a-secret/key AWS_REGION=eu-test-1
    python3 "$here/s3_imitation.py" "$work" "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" "$AWS_REGION" \
        2> "$work/bucket.log" & pids+=($!)
    await_file "$work/s3.port"
    endpoint="http://127.0.0.1:$(cat "$work/s3.port")"
    coordinator_flags="--export-to s3://evals/runs/all --export-s3-endpoint $endpoint"
}
source "$here/session.sh"
export EVALFLEET_COORDINATOR_URL=$url EVALFLEET_TOKEN=$token
ef() { "$bin/evalfleet" "$@"; }
kept=$work/objects/runs/all
await_export() {
    for _ in $(seq 900); do [ -f "$kept/$1/manifest.json" ] && return 0; sleep 0.1; done
    fail "$1 was not exported: $(tail -n 5 "$work/coordinator.log")"
}
cat > "$work/run.yaml" <<EOF
version: 1
name: nightly
dataset: {path: $dataset, id: qa, version: "1"}
model: {provider: sim, name: m, version: "1"}
judge: {provider: sim, name: j, version: "1"}
EOF
submit() { ef submit "$work/run.yaml"; }

say "a run that is over is in the bucket, whole"
first=$(submit)
await_export "$first"
ef verify "$kept/$first" > /dev/null || fail "the copy is not what the run was"
[ -f "$kept/$first/work/dataset.jsonl" ] || fail "its answers cannot be judged anew"
[ ! -e "$kept/$first/work/trials.log" ] || fail "the coordinator's own files are there"
puts() { grep -c "\"PUT\", \"evals/runs/all/$1/" "$work/s3.log" || true; }
sent=$(puts "$first")

say "what the bucket refuses, or cuts off, is tried again, whoever is killed meanwhile"
touch "$work/busy"
second=$(submit)
await_export "$second"
ef verify "$kept/$second" > /dev/null || fail "the copy is not what the run was"
rm "$work/busy"; touch "$work/drop"
third=$(submit)
for _ in $(seq 900); do [ "$(ef status "$third" --json | field state)" = done ] && break; sleep 0.1; done
kill -9 "$coordinator"; wait "$coordinator" 2>/dev/null || true
start_coordinator; export EVALFLEET_COORDINATOR_URL=$url
await_export "$third"
rm "$work/drop"
ef verify "$kept/$third" > /dev/null || fail "the copy is not what the run was"
[ "$(puts "$first")" = "$sent" ] || fail "the first run was sent again"
for _ in $(seq 100); do grep -q "\"msg\":\"run exported\".*$third" "$work/coordinator.log" && break; sleep 0.1; done
grep -q "\"msg\":\"run exported\".*$third" "$work/coordinator.log" || fail "no line of the export"
curl -fs "$url/metrics" | grep -q '^evalfleet_coordinator_exports_total [1-9]' || fail "no metric of exports"
! grep -q "a-secret" "$work/coordinator.log" || fail "the key is in the log"

say "the command takes a run of the coordinator, or a folder"
ef export "$third" --to s3://evals/by-hand --s3-endpoint "$endpoint" --read-back > "$work/out" || fail "$(cat "$work/out")"
grep -q "s3://evals/by-hand/$third" "$work/out" || fail "not said where: $(cat "$work/out")"
ef verify "$work/objects/by-hand/$third" > /dev/null || fail "the copy is not what the run was"
ef export "$kept/$third" --to "$work/archive" --read-back --json > "$work/out"
[ "$(field run_id < "$work/out")" = "$third" ] || fail "$(cat "$work/out")"
ef verify "$work/archive/$third" > /dev/null || fail "the copy is not what the run was"
ef export "$kept/$third" --to "$work/archive" --json > "$work/out"
[ "$(field sent < "$work/out")" = 0 ] || fail "sent again: $(cat "$work/out")"

say "an upload that was interrupted goes on"
large=$work/large; cp -r "$kept/$first" "$large"
head -c 50000000 /dev/urandom > "$large/extra.bin"
python3 - "$large" <<'EOF'
import hashlib, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
manifest = json.loads((folder / "manifest.json").read_text())
(names,) = [value for value in manifest.values() if isinstance(value, dict)]
names["extra.bin"] = hashlib.sha256((folder / "extra.bin").read_bytes()).hexdigest()
(folder / "manifest.json").write_text(json.dumps(manifest) + "\n")
EOF
touch "$work/stall" "$work/late"
ef export "$large" --to s3://evals/large --s3-endpoint "$endpoint" > "$work/out" 2>&1 & exporting=$!
for _ in $(seq 600); do grep -q '"PUT", "evals/large/.*"3", ' "$work/s3.log" && break; sleep 0.1; done
kill -9 $exporting; wait $exporting 2>/dev/null || true
rm "$work/stall"
: > "$work/s3.log"
ef export "$large" --to s3://evals/large --s3-endpoint "$endpoint" --read-back > "$work/out" || fail "$(cat "$work/out")"
grep '"PUT".*extra.bin' "$work/s3.log" | grep -q '"1", ' && fail "a part was sent again"
grep -q '"PUT".*extra.bin.*"3", ' "$work/s3.log" || fail "the third part was not sent"
cmp "$large/extra.bin" "$work/objects/large/$first/extra.bin" || fail "another content"

say "what cannot be is said"
refused() {
    local expected=$1 code=0; shift
    "$@" > "$work/out" 2>&1 || code=$?
    [ $code = "$expected" ] || fail "ended with $code, not $expected: $(cat "$work/out")"
}
refused 2 ef export "$kept/$first" --to gs://x; grep -q 's3://BUCKET' "$work/out" || fail "$(cat "$work/out")"
mkdir "$work/empty"; refused 2 ef export "$work/empty" --to "$work/archive"; grep -q 'run.json' "$work/out" || fail "$(cat "$work/out")"
refused 2 env -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY HOME=/nonexistent "$bin/evalfleet" export "$kept/$first" --to s3://evals
grep -q AWS_ACCESS_KEY_ID "$work/out" || fail "$(cat "$work/out")"
code=0; AWS_SECRET_ACCESS_KEY=another ef export "$kept/$first" --to s3://evals/x --s3-endpoint "$endpoint" > "$work/out" 2>&1 || code=$?
[ $code != 0 ] && grep -q -e SignatureDoesNotMatch -e 'status 403' "$work/out" || fail "ended with $code: $(cat "$work/out")"
code=0; ef export "$kept/$first" --to s3://nobodys/x --s3-endpoint "$endpoint" > "$work/out" 2>&1 || code=$?
[ $code != 0 ] || fail "a bucket that is not there was taken"
echo "{}" >> "$large/records.jsonl"
refused 2 ef export "$large" --to "$work/archive"; grep -q 'not what manifest.json says' "$work/out" || fail "$(cat "$work/out")"
say "all is well"
