"""A small S3 for a test: checks the signature and the hash of every request, keeps objects below FOLDER/objects, and
does multipart uploads. Notes each request in FOLDER/s3.log. A file FOLDER/<name> makes it misbehave: `stall` (it
answers no part from the third on), `busy` (every second request: 503), `drop` (every third: the connection is cut),
`late` (the first end of an upload: 200 with an error in it).
Usage: s3_imitation.py FOLDER ACCESS_KEY SECRET REGION; its port is in FOLDER/s3.port."""

import datetime
import hashlib
import hmac
import http.server
import itertools
import json
import pathlib
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

folder, access_key, secret, region = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
objects = folder / "objects"
objects.mkdir(exist_ok=True)
lock = threading.Lock()
uploads, metadata, counter = {}, {}, itertools.count(1)
asked = {"all": 0, "late": 0}


def hmac_sha256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature_of(request, body_hash, signed, moment):
    """By the manual, sharing no code with what it checks."""
    path, _, query = request.path.partition("?")
    pairs = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    canonical_query = "&".join(f"{name}={value}" for name, value in sorted(pairs))
    headers = "".join(f"{name}:{' '.join(request.headers[name].split())}\n" for name in signed)
    canonical = "\n".join([request.command, path, canonical_query, headers, ";".join(signed), body_hash])
    scope = f"{moment[:8]}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = hmac_sha256(hmac_sha256(hmac_sha256(hmac_sha256(f"AWS4{secret}".encode(), moment[:8]), region), "s3"), "aws4_request")
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Refusal(Exception):
    pass


class S3(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def check(self, body):
        said = self.headers.get("Authorization", "")
        if not said.startswith("AWS4-HMAC-SHA256 "):
            raise Refusal(403, "AccessDenied", "no signature")
        fields = dict(field.strip().split("=", 1) for field in said[len("AWS4-HMAC-SHA256 "):].split(","))
        signed = fields["SignedHeaders"].split(";")
        moment = self.headers["X-Amz-Date"]
        age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.strptime(moment + "+0000", "%Y%m%dT%H%M%SZ%z")
        if abs(age.total_seconds()) > 900:
            raise Refusal(403, "RequestTimeTooSkewed", moment)
        if not fields["Credential"].startswith(f"{access_key}/{moment[:8]}/{region}/s3/"):
            raise Refusal(403, "InvalidAccessKeyId", "unknown key or region")
        body_hash = self.headers.get("X-Amz-Content-Sha256", "")
        if not {"host", "x-amz-content-sha256", "x-amz-date"} <= set(signed):
            raise Refusal(403, "AccessDenied", f"not signed: {signed}")
        if not hmac.compare_digest(fields["Signature"], signature_of(self, body_hash, signed, moment)):
            raise Refusal(403, "SignatureDoesNotMatch", "The request signature we calculated does not match")
        if hashlib.sha256(body).hexdigest() != body_hash:
            raise Refusal(400, "XAmzContentSHA256Mismatch", "the body is not what was signed")

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            asked["all"] += 1
            number = asked["all"]
        query = urllib.parse.parse_qs(self.path.partition("?")[2], keep_blank_values=True)
        name = urllib.parse.unquote(self.path.partition("?")[0]).lstrip("/")
        part = query.get("partNumber", ["0"])[0]
        with lock, open(folder / "s3.log", "a", encoding="utf-8") as log:
            log.write(json.dumps([self.command, name, sorted(query), part, len(body)]) + "\n")
        if (folder / "drop").exists() and number % 3 == 0:
            self.close_connection = True
            return self.connection.close()
        if (folder / "busy").exists() and number % 2 == 0:
            return self.reply(503, "<Error><Code>SlowDown</Code></Error>", {"Retry-After": "0"})
        if (folder / "stall").exists() and int(part) >= 3:
            time.sleep(600)
        try:
            self.check(body)
            with lock:
                status, text, headers = self.serve(name, query, body)
        except Refusal as refusal:
            status, code, words = refusal.args
            text, headers = f"<Error><Code>{code}</Code><Message>{words}</Message></Error>", {}
        return self.reply(status, text, headers)

    def serve(self, name, query, body):
        bucket, _, key = name.partition("/")
        if bucket != "evals":
            raise Refusal(404, "NoSuchBucket", "The specified bucket does not exist")
        if "uploads" in query and self.command == "GET":
            prefix = query.get("prefix", [""])[0]
            return 200, "<ListMultipartUploadsResult>" + "".join(
                f"<Upload><Key>{escape(one['key'])}</Key><UploadId>{id}</UploadId></Upload>"
                for id, one in uploads.items() if one["key"].startswith(prefix)) + "</ListMultipartUploadsResult>", {}
        if "uploads" in query:
            id = f"upload-{next(counter)}+/="
            uploads[id] = {"key": key, "hash": self.headers.get("x-amz-meta-sha256", ""), "parts": {}}
            return 200, f"<R><UploadId>{id}</UploadId></R>", {}
        if "uploadId" in query:
            return self.serve_upload(query["uploadId"][0], key, query, body)
        if self.command == "PUT":
            return self.keep(key, body, self.headers.get("x-amz-meta-sha256", ""))
        file = objects / key
        if not file.is_file():
            raise Refusal(404, "NoSuchKey", key)
        content = file.read_bytes()
        if self.command == "HEAD":
            return 200, "", {"x-amz-meta-sha256": metadata[key], "Content-Length": str(len(content))}
        begin, end = self.headers["Range"].removeprefix("bytes=").split("-")
        return 206, content[int(begin):int(end) + 1], {}

    def serve_upload(self, id, key, query, body):
        if id not in uploads or uploads[id]["key"] != key:
            raise Refusal(404, "NoSuchUpload", id)
        parts = uploads[id]["parts"]
        if self.command == "PUT":
            parts[int(query["partNumber"][0])] = body
            return 200, "", {"ETag": f'"{hashlib.md5(body).hexdigest()}"'}
        if self.command == "GET":
            after = int(query.get("part-number-marker", ["0"])[0])
            listed = [n for n in sorted(parts) if n > after][:2]
            more = bool(listed) and listed[-1] != max(parts)
            return 200, f"<R><IsTruncated>{str(more).lower()}</IsTruncated>" + (
                f"<NextPartNumberMarker>{listed[-1]}</NextPartNumberMarker>" if more else "") + "".join(
                f"<Part><PartNumber>{n}</PartNumber><ETag>&quot;{hashlib.md5(parts[n]).hexdigest()}&quot;</ETag>"
                f"<Size>{len(parts[n])}</Size></Part>" for n in listed) + "</R>", {}
        if self.command == "DELETE":
            del uploads[id]
            return 204, "", {}
        asked["late"] += 1
        if (folder / "late").exists() and asked["late"] == 1:
            return 200, "<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>", {}
        named = [int(each.split("</PartNumber>")[0]) for each in body.decode().split("<PartNumber>")[1:]]
        if named != sorted(parts) or any(hashlib.md5(parts[n]).hexdigest() not in body.decode() for n in named):
            raise Refusal(400, "InvalidPart", "parts are missing or others")
        upload = uploads.pop(id)
        self.keep(key, b"".join(parts[n] for n in named), upload["hash"])
        return 200, "<CompleteMultipartUploadResult/>", {}

    def keep(self, key, body, said):
        file = objects / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        metadata[key] = said
        return 200, "", {"ETag": f'"{hashlib.md5(body).hexdigest()}"'}

    def reply(self, status, body, headers):
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), S3)
(folder / "s3.port.part").write_text(str(server.server_port))
(folder / "s3.port.part").rename(folder / "s3.port")
server.serve_forever()
