"""Holds traces against the records of their run. Usage: otlp_check.py LOG RECORDS; prints how many traces there are."""

import collections
import datetime
import json
import sys

MS = 1_000_000
with open(sys.argv[2], encoding="utf-8") as file:
    records = [json.loads(line) for line in file]
run_id = records[0]["run_id"]
traces = collections.defaultdict(dict)
for line in open(sys.argv[1], encoding="utf-8"):
    span = json.loads(line)
    name = span["name"]
    assert name not in traces[span["traceId"]], f"told twice: {name}"
    traces[span["traceId"]][name] = span


def attributes(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def length_ms(span):
    return (int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) / MS


found = 0
by_trial = {(str(record["sample_index"]), str(record["repeat"])): record for record in records}
for spans in traces.values():
    trial = spans["trial"]
    said = attributes(trial)
    if said["evalfleet.run_id"] != run_id:
        continue
    found += 1
    record = by_trial.pop((said["evalfleet.sample_index"], said["evalfleet.repeat"]))
    assert record["sample_id"] == said["evalfleet.sample_id"]
    assert record["rubric_passed"] == said["evalfleet.rubric_passed"]
    for name, span in spans.items():
        if name == "trial":
            assert "parentSpanId" not in span
            continue
        assert span["parentSpanId"] == trial["spanId"], name
        assert int(trial["startTimeUnixNano"]) <= int(span["startTimeUnixNano"]), name
        assert int(span["endTimeUnixNano"]) <= int(trial["endTimeUnixNano"]), name
    timing = record["timing"]
    for name, ms in (("queue", timing["queue_wait_ms"]), ("permit", timing["permit_wait_ms"]), ("judge", timing["judge_ms"])):
        assert (name in spans) == (ms is not None), (name, ms)
        assert ms is None or abs(length_ms(spans[name]) - ms) < 0.01, (name, ms)
    assert "attempt" in spans and ("failed attempts" in spans) == (record["attempts"] > 1), spans.keys()
    calls = length_ms(spans["attempt"]) + (length_ms(spans["failed attempts"]) if record["attempts"] > 1 else 0)
    assert abs(calls - record["latency_e2e_ms"]) < 0.01, (calls, record["latency_e2e_ms"])
    first = spans.get("failed attempts", spans["attempt"])
    started = datetime.datetime.fromisoformat(record["started_at_utc"].replace("Z", "+00:00"))
    assert abs(int(first["startTimeUnixNano"]) / 1e9 - started.timestamp()) < 0.002
    text = json.dumps(spans)
    for secret in (record["answer"], record["rationale"]):
        assert not secret or len(secret) < 12 or secret not in text, "a text of a model is in a span"
print(found)
