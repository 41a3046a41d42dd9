"""The directions of imports, as a table: a package may import itself and what stands after its name."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "settings": {"errors"},
    "metrics": set(),
    "logs": {"errors"},
    "client": set(),
    "domain": {"errors"},
    "images": {"domain", "errors", "settings"},
    "parsing": {"domain", "errors", "settings"},
    "scoring": {"domain", "errors", "settings"},
    "render": {"domain", "errors", "settings"},
    "exports": {"domain", "errors", "settings", "scoring", "images", "parsing"},
    "imports": {"domain", "errors", "exports"},
    "prompt_files": {"domain", "errors"},
    "prompting": {"domain", "errors", "prompt_files"},
    "engines": {"domain", "errors", "settings", "metrics", "logs"},
    "storage": {"domain", "errors", "settings"},
    "services": {
        "domain",
        "errors",
        "settings",
        "metrics",
        "logs",
        "images",
        "parsing",
        "scoring",
        "render",
        "exports",
        "imports",
        "prompt_files",
        "prompting",
        "engines",
        "storage",
    },
    "api": {"services", "domain", "errors", "settings", "metrics", "logs"},
    "ui": {"services", "domain", "errors", "settings", "render", "metrics", "logs"},
    "commands": {"client", "services", "domain", "errors", "settings", "metrics", "render", "scoring", "storage"},
    "__main__": {
        "commands",
        "services",
        "domain",
        "errors",
        "settings",
        "metrics",
        "images",
        "parsing",
        "exports",
        "imports",
        "storage",
    },
}

ONLY_IN: dict[str, set[str]] = {
    "PIL": {"images"},
    "pillow_heif": {"images"},
    "pypdfium2": {"images"},
    "av": {"images"},
    "gradio": {"ui"},
    "fastapi": {"api"},
    "starlette": {"api"},
    "sqlalchemy": {"storage"},
    "alembic": {"storage"},
    "rapidocr": {"engines"},
    "onnxruntime": {"engines"},
    "vllm": {"engines"},
    "openai": {"engines"},
    "prometheus_client": {"metrics"},
    "argon2": {"services"},
    "limits": {"services"},
    "pyarrow": {"exports"},
    "pikepdf": {"exports"},
}
"""Libraries that one part alone may import. app.py, the composition root, is not under ocr_ui and stands apart."""


def modules() -> list[Path]:
    return sorted((ROOT / "ocr_ui").rglob("*.py"))


def part_of(path: Path) -> str:
    first = path.relative_to(ROOT / "ocr_ui").parts[0]
    return first.removesuffix(".py")


@cache
def imports(path: Path) -> frozenset[str]:
    """Dotted names that a file imports anywhere, `from a import b` counted as `a.b`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_follow_the_table(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    for name in imports(path):
        head, _, rest = name.partition(".")
        if head == "ocr_ui":
            target = rest.split(".")[0]
            assert target in ALLOWED[part] | {part}, f"{part} may not import {target}"
        if head in ONLY_IN:
            assert part in ONLY_IN[head], f"{head} belongs to {ONLY_IN[head]}, not to {part}"


def test_no_import_cycles() -> None:
    graph: dict[str, set[str]] = {}
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in modules()}
    for name, path in names.items():
        targets = set()
        for imported in imports(path):
            for candidate in (imported, imported.rpartition(".")[0]):
                if candidate in names and candidate != name:
                    targets.add(candidate)
                    break
        graph[name] = targets
    done: set[str] = set()

    def visit(node: str, trail: tuple[str, ...]) -> None:
        assert node not in trail, f"cycle: {' -> '.join((*trail, node))}"
        if node in done:
            return
        for target in graph[node]:
            visit(target, (*trail, node))
        done.add(node)

    for node in graph:
        visit(node, ())


FOR_TRAINERS = ROOT / "ocr_ui" / "scoring" / "__init__.py"
"""Says where trainers find their reward functions; `tests/scoring/test_trainers.py` holds how little it loads."""


@pytest.mark.parametrize("path", [p for p in modules() if p.name == "__init__.py" and p != FOR_TRAINERS], ids=str)
def test_package_files_are_empty(path: Path) -> None:
    assert path.read_text() == ""


def test_the_table_names_every_part() -> None:
    assert {part_of(path) for path in modules()} - {"__init__"} <= set(ALLOWED)


def test_prompts_stand_in_files_not_in_code() -> None:
    for path in modules():
        assert "检测并识别" not in path.read_text(encoding="utf-8"), path
