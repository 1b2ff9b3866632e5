"""What a receiver was told: webhook_check.py LOG RUN SECRET. Every event of the run was taken at least once, those
that are signed are signed rightly, a repetition has the id of the first, and Slack got a text."""

import hashlib
import hmac
import json
import sys

log, run, secret = sys.argv[1:]
taken = {}
for line in open(log, encoding="utf-8"):
    request = json.loads(line)
    headers, body = request["headers"], request["body"]
    if request["path"].startswith("/json"):
        signed = f"{headers['X-Evalfleet-Timestamp']}.{body}".encode()
        expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        assert hmac.compare_digest(headers["X-Evalfleet-Signature"], expected), "the signature is wrong"
        message = json.loads(body)
        assert message["id"] == headers["X-Evalfleet-Id"] and message["event"] == headers["X-Evalfleet-Event"]
        assert message["run"]["run_labels"] == {"branch": "main"}, message
        assert message["link"] == f"https://evalfleet.example.com/runs/{message['run']['run_id']}"
        if message["run"]["run_id"] != run:
            continue
        event, identity = message["event"], message["id"]
    else:
        assert "X-Evalfleet-Signature" not in headers
        assert set(json.loads(body)) == {"text"}, body
        if run not in body:
            continue
        event, identity = "slack " + headers["X-Evalfleet-Event"], headers["X-Evalfleet-Id"]
    entry = taken.setdefault(event, {"ids": set(), "taken": 0, "refused": 0})
    entry["ids"].add(identity)
    entry["refused" if request["away"] else "taken"] += 1
print(json.dumps({event: [len(entry["ids"]), entry["taken"], entry["refused"]] for event, entry in sorted(taken.items())}))
for event, entry in taken.items():
    assert len(entry["ids"]) == 1 or event.endswith("run.paused"), f"{event} has several ids"
