"""A model's server in a process of its own, to be killed or stopped: `python answering.py PORT`.

It answers chat completions in OpenAI's form, a piece every 50 milliseconds.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from engines.scripted_server import MODELS, chunk

PIECES = 100
TEXT = "".join(f"line {number}\n" for number in range(PIECES))


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._begin("application/json")
        self.wfile.write(MODELS.encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._begin("text/event-stream")
        with suppress(ConnectionError):  # whoever asked has gone
            for line in TEXT.splitlines(keepends=True):
                self._send(chunk(line))
                time.sleep(0.05)
            self._send(chunk("", "stop") + "data: [DONE]\n\n")

    def _begin(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()

    def _send(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answers).serve_forever()
