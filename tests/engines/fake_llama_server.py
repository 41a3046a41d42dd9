#!/usr/bin/env python3
"""Stands for llama-server: its arguments, its /health, its answers, and its way of failing on a broken file."""

import argparse
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

parser = argparse.ArgumentParser()
for name in ("model", "mmproj", "alias", "host", "ctx-size"):
    parser.add_argument(f"--{name}")
parser.add_argument("--port", type=int)
for name in ("jinja", "no-webui"):
    parser.add_argument(f"--{name}", action="store_true")
given = parser.parse_args()

if b"broken" in Path(given.model).read_bytes():
    print("llama_model_load: error loading model: tensor data is not within the file bounds", flush=True)
    print("main: exiting due to model loading", flush=True)
    sys.exit(1)


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def say(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self) -> None:
        self.say("application/json", json.dumps({"data": [{"id": given.alias, "object": "model"}]}))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = f"penalty {asked['repeat_penalty']} of {asked['model']}"
        choice = {"index": 0, "delta": {"content": said}, "finish_reason": "stop"}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
        self.say("text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")


ThreadingHTTPServer((given.host, given.port), Handler).serve_forever()
