"""Writers of rows that fan out into a file a part of the data: JSON Lines and parquet, in constant memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ocr_ui.domain.exact_json import dumps
from ocr_ui.exports.sample import Notes

ROWS_AT_ONCE = 64
BYTES_AT_ONCE = 16_000_000
"""What a parquet file's writer holds before it writes a group of rows."""


class Files:
    """Opens a file when its first row comes, so that no part without rows has one.

    Args:
        folder: where the files go.
        open_file: writer of a file, by path and name.
        notes: told the number of rows by the file's name.
    """

    def __init__(self, open_file: Callable[[str], Any], notes: Notes) -> None:
        self._open, self._notes = open_file, notes
        self._files: dict[str, Any] = {}

    def add(self, name: str, row: Mapping[str, Any]) -> None:
        if name not in self._files:
            self._files[name] = self._open(name)
        self._files[name].add(row)
        self._notes.rows[name] += 1

    @property
    def names(self) -> list[str]:
        return sorted(self._files)

    def __enter__(self) -> Files:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for file in self._files.values():
            file.close()


class JsonLinesFile:
    """Args: hashed: the file's name ends in twelve digits of its checksum, so that other rows are another file."""

    def __init__(self, path: Path, hashed: bool = False) -> None:
        self._path, self._hashed = path, hashed
        self._out: BinaryIO = path.open("wb")
        self._digest = hashlib.sha256()

    def add(self, row: Mapping[str, Any]) -> None:
        line = f"{dumps(row)}\n".encode()
        self._digest.update(line)
        self._out.write(line)

    def close(self) -> None:
        self._out.close()
        if self._hashed:
            self._path.rename(self._path.with_stem(f"{self._path.stem}-{self._digest.hexdigest()[:12]}"))


class ParquetFile:
    """Args: features: of the `datasets` library, by column, where it should not guess from the types."""

    def __init__(self, path: Path, schema: pa.Schema, features: Mapping[str, Any] | None = None) -> None:
        if features:
            told = json.dumps({"info": {"features": features}})
            schema = schema.with_metadata({"huggingface": told})
        self._schema = schema
        self._file = pq.ParquetWriter(path, schema)
        self._rows: list[Mapping[str, Any]] = []
        self._bytes = 0

    def add(self, row: Mapping[str, Any]) -> None:
        self._rows.append(row)
        self._bytes += sum(len(one["bytes"] or b"") for one in _pictures(row))
        if len(self._rows) >= ROWS_AT_ONCE or self._bytes >= BYTES_AT_ONCE:
            self._write()

    def close(self) -> None:
        self._write()
        self._file.close()

    def _write(self) -> None:
        if self._rows:
            self._file.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows, self._bytes = [], 0


def _pictures(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    images = row.get("images") or ([row["image"]] if row.get("image") else [])
    return [one for one in images if isinstance(one, dict)]


PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
"""A picture inside a parquet file, as the `datasets` library writes it."""

PICTURE_FEATURE = {"_type": "Image"}


def text_feature() -> dict[str, str]:
    return {"dtype": "string", "_type": "Value"}


def picture_cell(file: Path) -> dict[str, Any]:
    return {"bytes": file.read_bytes(), "path": file.name}
