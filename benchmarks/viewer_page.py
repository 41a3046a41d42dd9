"""A small page that mounts the viewer alone, with drawn pictures and a pretended server: for the benchmark, for
looking, and for driving the viewer without the product around it.

    python benchmarks/viewer_page.py [--port 7871]

Address: /?set=receipt|form|big|fields|table|empty&lines=60&lang=en|zh&stream=1&__theme=light|dark
(`lines` of a table are its rows, of 30 cells each)
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI, Request, UploadFile
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ocr_ui.ui.viewer import STATIC, Viewer
from ocr_ui.ui.viewer_words import viewer_words

CJK_FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
GOODS = ("Milk 1 l", "Rye bread", "Butter 250 g", "Apples 1 kg", "Olive oil", "Coffee 500 g", "Tea bags", "Salt")
FORM = (
    "居民信息登记表",
    "姓名：王小明　　性别：男",
    "出生日期：1990年4月12日",
    "民族：汉",
    "身份证号：110101199004120011",
    "住址：北京市朝阳区幸福路18号院2号楼",
    "联系电话：010-6554 2210",
    "工作单位：北京市第一印刷厂",
    "紧急联系人：李华　电话：138 0013 8000",
    "备注：无\u200b特殊情况",
    "填表日期：2024年3月5日",
    "审核人签字：",
)


@dataclass
class Page:
    picture: bytes
    size: tuple[int, int]
    lines: list[dict[str, Any]] = field(default_factory=list)

    def describe(self, name: str) -> dict[str, Any]:
        width, height = self.size
        return {"sha256": name, "url": f"/pictures/{name}.png", "width": width, "height": height, "name": f"{name}.png"}


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.truetype(CJK_FONT, size) if CJK_FONT.exists() else ImageFont.load_default(size)


def draw(texts: list[str], size: tuple[int, int], step: int, letter: int, columns: int = 1, seed: int = 1) -> Page:
    """A page with one text a line, in columns, and the quads of its lines."""
    chance = random.Random(seed)
    picture = Image.new("RGB", size, "#fdfcf8")
    pen = ImageDraw.Draw(picture)
    face = font(letter)
    rows = -(-len(texts) // columns)
    lines = []
    for index, text in enumerate(texts):
        left = 60 + (index // rows) * (size[0] - 60) // columns
        top = 60 + (index % rows) * step
        pen.text((left, top), text, fill="#1c1917", font=face)
        box = pen.textbbox((left, top), text or " ", font=face)
        quad = [[box[0] - 4, box[1] - 3], [box[2] + 4, box[1] - 2], [box[2] + 4, box[3] + 4], [box[0] - 4, box[3] + 3]]
        lines.append({"id": f"l{index}", "text": text, "quad": quad, "confidence": round(chance.uniform(0.86, 1), 3)})
    out = io.BytesIO()
    picture.save(out, "PNG")
    return Page(out.getvalue(), size, lines)


def receipt(count: int) -> Page:
    chance = random.Random(7)
    body = [f"{chance.choice(GOODS):<16}{chance.uniform(1, 30):8.2f}" for _ in range(count - 6)]
    texts = [
        "CORNER SHOP",
        "12 Harbour Street",
        "2024-03-05 14:02",
        *body,
        "TOTAL 512.40",
        "VAT 19 % 81.81",
        "Thank you!",
    ]
    page = draw(texts, (900, 80 + 44 * count), 44, 28)
    for index in (4, 17, 33):
        page.lines[index].update(confidence=0.55 + index / 100, text=page.lines[index]["text"].replace("0", "O"))
    page.lines[9]["quad"] = None
    return page


def form(_: int) -> Page:
    page = draw(list(FORM), (1240, 1000), 72, 36)
    page.lines[4]["confidence"] = 0.61
    return page


def big(count: int) -> Page:
    chance = random.Random(3)
    texts = [" ".join(chance.choice(GOODS) for _ in range(2)) for _ in range(count)]
    return draw(texts, (2480, 3508), max(12, 3400 // -(-count // 5)), 18, columns=5)


def table(count: int) -> Page:
    page = draw(["", *(" ".join(row) for row in table_rows(count)[:20])], (2480, 1200), 40, 18)
    page.lines = []
    return page


def table_rows(count: int, columns: int = 30) -> list[list[str]]:
    chance = random.Random(5)
    head = [chance.choice(GOODS).split()[0] for _ in range(columns)]
    return [head, *([f"{chance.uniform(0, 999):.2f}" for _ in range(columns)] for _ in range(count - 1))]


MAKERS = {"receipt": receipt, "form": form, "big": big, "fields": form, "table": table}
PAGES: dict[str, Page] = {}


def value_of(kind: str, count: int, version: int = 0) -> dict[str, Any]:
    name = f"{kind}-{count}"
    page = PAGES.setdefault(name, MAKERS[kind](count))
    lines = page.lines
    low = sum(line["confidence"] < 0.8 for line in lines)
    warnings = [{"code": "unsure", "message": f"{low} lines are hard to read.", "line": None}] if low else []
    if kind == "receipt":
        warnings.append({"code": "bad_box", "message": "The box of this line could not be read.", "line": 9})
    return {
        "item": {
            "recognition_id": sum(map(ord, name)),
            "page": page.describe(name),
            "template": "full_text",
            "engine": "rapidocr",
        },
        "lines": lines,
        "model_lines": lines,
        "fields": fields_of(lines) if kind == "fields" else [],
        "tables": [table_of(count)] if kind == "table" else [],
        "text": table_of(count)["html"] if kind == "table" else "\n".join(line["text"] for line in lines),
        "raw": "\n".join(f"{line['text']}  {line['quad']}" for line in lines),
        "html": "<h2>Receipt</h2><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        "warnings": warnings,
        "run": {
            "state": "complete",
            "seconds": 3.1,
            "first_line_seconds": 0.62,
            "lines": len(lines),
            "rate": len(lines) / 3.1,
        },
        "version": version,
        "low_confidence": 0.8,
    }


def table_of(count: int) -> dict[str, Any]:
    rows = table_rows(count)
    html = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
    return {"html": f"<table>{html}</table>", "grid": rows, "quad": None}


def fields_of(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    pairs = [(line["text"].split("：", 1), line) for line in lines if "：" in line["text"]]
    found = [
        {"name": name, "value": value, "quad": line["quad"], "confidence": line["confidence"], "kind": "text"}
        for (name, value), line in pairs
    ]
    return [*found, {"name": "邮政编码", "value": None, "quad": None, "confidence": None, "kind": "number"}]


# The pretended server ------------------------------------------------------------------------------------------------


@dataclass
class Pretence:
    """What is stored, by recognition; and how many of the next requests fail."""

    stored: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    failures: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)


def add_routes(app: FastAPI, pretence: Pretence) -> None:
    @app.get("/pictures/{name}.png")
    def picture(name: str) -> Response:
        return Response(PAGES[name].picture, media_type="image/png")

    @app.post("/v1/pictures")
    async def upload(file: UploadFile) -> Any:
        data = await file.read()
        try:
            picture = Image.open(io.BytesIO(data)).convert("RGB")
        except OSError:
            return failure(400, "not_a_picture", "This file is not a picture.", "Choose a JPEG, PNG or PDF file.")
        return keep(picture, f"up{len(PAGES)}")

    @app.post("/v1/pages/{name}/rotate")
    async def rotate(name: str, body: dict[str, Any]) -> Any:
        picture = Image.open(io.BytesIO(PAGES[name].picture)).rotate(-90 * body["turns"], expand=True)
        return keep(picture, f"{name}r")

    @app.post("/v1/items/{number}/rewards")
    async def rewards(number: int) -> dict[str, Any]:
        return {"reward": 1, "reason": "", "rewards": [], "label_problems": [], "reference": "", "file": ""}

    @app.post("/v1/differences")
    async def differences(body: dict[str, Any]) -> Any:
        return {"error_kinds": ["wrong_character"], "edit_distance": len(body["content"]["lines"]) % 7 + 1, "cer": 0.01}

    @app.post("/v1/corrections")
    async def corrections(body: dict[str, Any]) -> Any:
        pretence.requests.append(body)
        if pretence.failures:
            pretence.failures -= 1
            return Response(status_code=503)
        versions = pretence.stored.setdefault(body["recognition_id"], [])
        if body["base_version"] != len(versions):
            last = versions[-1]
            details = {"person": last["person"], "version": len(versions), "saved_at": time.time() * 1000}
            return failure(409, "conflict", "Somebody else saved.", "", details)
        versions.append(body)
        return {
            "version": len(versions),
            "state": "submitted",
            "edit_distance": 1,
            "cer": 0.01,
            "verdict": body["verdict"],
            "error_kinds": body["error_kinds"] or ["wrong_character"],
        }

    @app.get("/v1/items/{recognition}")
    async def item(recognition: int) -> Any:
        versions = pretence.stored[recognition]
        last = versions[-1]
        judged = {key: last.get(key) for key in ("verdict", "error_kinds", "note")}
        return {**last["content"], **judged, "version": len(versions)}

    @app.post("/pretend")
    async def pretend(request: Request) -> Any:
        """Sets what the next requests meet: {"failures": n} or {"other": {...correction by somebody else}}."""
        wish = await request.json()
        pretence.failures = wish.get("failures", pretence.failures)
        if other := wish.get("other"):
            pretence.stored.setdefault(other["recognition_id"], []).append(other)
        return {"requests": pretence.requests, "stored": {key: len(v) for key, v in pretence.stored.items()}}


def keep(picture: Image.Image, name: str) -> dict[str, Any]:
    out = io.BytesIO()
    picture.save(out, "PNG")
    PAGES[name] = Page(out.getvalue(), picture.size)
    return {"page": PAGES[name].describe(name), "warnings": []}


def failure(status: int, code: str, message: str, hint: str, details: dict[str, Any] | None = None) -> JSONResponse:
    error = {"code": code, "message": message, "hint": hint, "details": details or {}}
    return JSONResponse({"error": error}, status_code=status)


# The page ------------------------------------------------------------------------------------------------------------


async def show(request: gr.Request) -> AsyncIterator[Any]:
    query = request.query_params
    lang = query.get("lang", "en")
    kind, count = query.get("set", "receipt"), int(query.get("lines", 60))
    words = gr.update(words=json.dumps(viewer_words(lang), ensure_ascii=False), lang=lang)
    yield words, ""
    if kind == "empty":
        return
    value = value_of(kind, count)
    if query.get("stream"):
        async for part in streamed(value):
            yield gr.update(value=part), ""
    yield gr.update(value=value), ""


async def streamed(value: dict[str, Any], beats: int = 40) -> AsyncIterator[dict[str, Any]]:
    """The same lines as they would come while an engine reads, twenty values a second."""
    total = len(value["lines"])
    start = time.monotonic()
    for beat in range(beats):
        count = total * beat // beats
        run = {"state": "running", "seconds": time.monotonic() - start, "first_line_seconds": 0.4, "lines": count}
        item = {**value["item"], "recognition_id": None}
        part = {"item": item, "lines": value["lines"][:count], "run": {**run, "total_lines": total, "rate": 20.0}}
        yield part
        await asyncio.sleep(0.05)


def build(pretence: Pretence | None = None) -> FastAPI:
    app = FastAPI(docs_url=None)
    app.mount("/static-ui", StaticFiles(directory=STATIC), name="static-ui")
    add_routes(app, pretence or Pretence())
    with gr.Blocks(analytics_enabled=False) as demo:
        viewer = Viewer(words=viewer_words("en"))
        heard = gr.Textbox(label="heard", elem_id="heard")
        demo.load(show, None, [viewer, heard], show_progress="hidden")

        def hear_upload(event: gr.EventData) -> str:
            return f"upload {event.page['sha256']}"

        def hear_saved(event: gr.EventData) -> str:
            return f"saved {event.recognition_id} {event.version}"

        viewer.upload(hear_upload, None, heard, queue=False, show_progress="hidden")
        viewer.saved(hear_saved, None, heard, queue=False, show_progress="hidden")
    return gr.mount_gradio_app(app, demo, path="/", ssr_mode=False, run_history=False, footer_links=[])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=7871)
    uvicorn.run(build(), host="127.0.0.1", port=parser.parse_args().port, log_level="warning")
