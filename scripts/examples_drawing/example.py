"""One example: the picture, how it is stored, and what the gallery and the tests should know of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examples_drawing.picture import Line, Picture


@dataclass(frozen=True)
class Example:
    """Everything that stands in `examples/<name>.json`.

    Attributes:
        title: by language, "en" and "zh".
        template: name of the prompt template that fits.
        variables: values preset for that template.
        language: of the text, as in BCP 47; "und" where there is none.
        kind: what sort of document it is.
        suffix: file type, with the options for Pillow's `save` in `options`.
        extra: answers beyond the lines: fields, html, latex, translation, markdown, answer.
        upright: the file as stored is the right way up.
    """

    name: str
    title: dict[str, str]
    template: str
    language: str
    kind: str
    picture: Picture
    suffix: str = ".png"
    options: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    upright: bool = True

    def to_dict(self, order: int) -> dict[str, Any]:
        lines = [_line(line, self.picture.image.size) for line in self.picture.lines]
        return {
            "name": self.name,
            "order": order,
            "file": self.name + self.suffix,
            "title": self.title,
            "kind": self.kind,
            "language": self.language,
            "template": self.template,
            "variables": self.variables,
            "size": list(self.picture.image.size),
            "upright": self.upright,
            **self.extra,
            "text": "\n".join(line["text"] for line in lines),
            "lines": lines,
        }

    def save(self, folder: Path, order: int) -> None:
        """Writes the picture and its JSON."""
        self.picture.image.save(folder / (self.name + self.suffix), **self.options)
        data = self.to_dict(order)
        lines = data.pop("lines")
        head = json.dumps(data, ensure_ascii=False, indent=1)
        rows = ",\n".join("  " + json.dumps(line, ensure_ascii=False) for line in lines)
        body = f'{head[:-2]},\n "lines": [\n{rows}\n ]\n}}\n' if rows else f'{head[:-2]},\n "lines": []\n}}\n'
        (folder / f"{self.name}.json").write_text(body, encoding="utf-8")


def _line(line: Line, size: tuple[int, int]) -> dict[str, Any]:
    width, height = size
    quad = [[round(min(max(x, 0), width), 1), round(min(max(y, 0), height), 1)] for x, y in line.quad.tolist()]
    data: dict[str, Any] = {"text": line.text, "quad": quad}
    return data if line.kind == "text" else data | {"kind": line.kind}
