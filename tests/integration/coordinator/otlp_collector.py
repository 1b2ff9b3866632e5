"""A collector of OpenTelemetry traces for a test: checks each OTLP/HTTP JSON request against the protocol's
shape, writes its spans down as JSON lines, answers 503 to the first request and as long as `away` exists.
Usage: otlp_collector.py FOLDER; its port is in FOLDER/otlp.port."""

import http.server
import json
import pathlib
import re
import sys
import threading

folder = pathlib.Path(sys.argv[1])
lock = threading.Lock()
asked = 0


def is_value(value):
    kinds = {"stringValue": str, "boolValue": bool, "doubleValue": (int, float), "intValue": str}
    (kind, content), = value.items()
    return isinstance(content, kinds[kind]) and (kind != "intValue" or re.fullmatch(r"-?\d+", content))


def check_attributes(attributes):
    names = [each["key"] for each in attributes]
    assert len(names) == len(set(names)), names
    for each in attributes:
        assert set(each) == {"key", "value"} and each["key"] and is_value(each["value"]), each


def check_span(span):
    known = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
             "attributes", "events", "status"}
    assert set(span) <= known, set(span) - known
    assert re.fullmatch(r"[0-9a-f]{32}", span["traceId"]) and int(span["traceId"], 16)
    assert re.fullmatch(r"[0-9a-f]{16}", span["spanId"]) and int(span["spanId"], 16)
    assert re.fullmatch(r"[0-9a-f]{16}", span.get("parentSpanId", span["spanId"]))
    assert span["name"] and span["kind"] in (1, 3)
    begin, end = span["startTimeUnixNano"], span["endTimeUnixNano"]
    assert re.fullmatch(r"\d{19}", begin) and re.fullmatch(r"\d{19}", end) and int(begin) <= int(end), (begin, end)
    check_attributes(span["attributes"])
    for event in span.get("events", []):
        assert int(begin) <= int(event["timeUnixNano"]) <= int(end) and event["name"], event
    if "status" in span:
        assert span["status"]["code"] in (1, 2) and isinstance(span["status"].get("message", ""), str)


def spans_of(request):
    assert set(request) == {"resourceSpans"}
    for resource in request["resourceSpans"]:
        check_attributes(resource["resource"]["attributes"])
        names = {each["key"]: each["value"] for each in resource["resource"]["attributes"]}
        assert "service.name" in names, names
        for scope in resource["scopeSpans"]:
            assert scope["scope"]["name"] == "evalfleet"
            for span in scope["spans"]:
                check_span(span)
                yield {**span, "service": names["service.name"]["stringValue"]}


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global asked
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            asked += 1
            code = 503 if asked == 1 or (folder / "away").exists() else self.take(body)
        self.send_response(code)
        if code == 503:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def take(self, body):
        try:
            assert self.path == "/v1/traces", self.path
            assert self.headers["Content-Type"] == "application/json", self.headers
            assert self.headers["Authorization"] == "Bearer from a variable", "wrong Authorization"
            assert self.headers["X-Key"] == "from a file", "wrong X-Key"
            spans = list(spans_of(json.loads(body)))
        except (AssertionError, KeyError, ValueError) as fault:
            with open(folder / "otlp.faults", "a", encoding="utf-8") as log:
                log.write(f"{fault!r}: {body[:2000]!r}\n")
            return 400
        with open(folder / "otlp.log", "a", encoding="utf-8") as log:
            for span in spans:
                log.write(json.dumps(span) + "\n")
        return 200

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
(folder / "otlp.port.part").write_text(str(server.server_port))
(folder / "otlp.port.part").rename(folder / "otlp.port")
server.serve_forever()
