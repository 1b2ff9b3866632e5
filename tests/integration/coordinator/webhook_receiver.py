"""A receiver of webhooks for a test: writes each request down, as a JSON line with its headers and body, and
answers 503 as long as the file `away` exists. Usage: webhook_receiver.py FOLDER; its port is in FOLDER/hook.port."""

import http.server
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        is_away = (folder / "away").exists()
        with open(folder / "hook.log", "a", encoding="utf-8") as log:
            log.write(json.dumps({"path": self.path, "away": is_away, "headers": dict(self.headers), "body": body}) + "\n")
        self.send_response(503 if is_away else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
(folder / "hook.port.part").write_text(str(server.server_port))
(folder / "hook.port.part").rename(folder / "hook.port")
server.serve_forever()
