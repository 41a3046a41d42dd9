"""Builds the tiny HunYuanVL that knows its book by heart, for tests of the real engine without a GPU.

Usage: python -m scripts.tiny_model.build      prints the folder; does nothing where it is built already

The folder is build/tiny_model/HASH, over the book, the pictures and these scripts. Building takes minutes on one core
(two threads beside any other load are far slower). Run with the environment of scripts/install_vllm_cpu.sh.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def content_hash() -> str:
    from scripts.tiny_model.book import entries

    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.read_bytes())
    for entry in entries():
        digest.update(repr((entry.name, entry.prompt, entry.answer, entry.messages)).encode())
        digest.update(entry.image.tobytes())
    return digest.hexdigest()[:16]


def folder() -> Path:
    return ROOT / "build" / "tiny_model" / content_hash()


def build(out: Path) -> None:
    """Trains the model into `out`.

    Raises:
        SystemExit: an answer is not exact; nothing is left in `out`.
    """
    import torch

    from scripts.tiny_model import network, training
    from scripts.tiny_model.book import entries

    os.nice(10)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    book = list(entries())
    tokenizer = network.make_tokenizer([text for entry in book for text in (entry.prompt, entry.answer)])
    processor = network.make_processor(tokenizer)
    model = network.make_network(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f} M parameters, {len(book)} entries", flush=True)
    training.train(model, processor, book)
    model.to(torch.bfloat16)
    wrong = training.mistakes(model, processor, book)
    if wrong:
        raise SystemExit(f"The tiny model did not learn its book: {wrong}")
    unfinished = out.with_suffix(f".{os.getpid()}")
    model.save_pretrained(unfinished)
    processor.save_pretrained(unfinished)
    tokenizer.save_pretrained(unfinished)
    if out.exists():
        shutil.rmtree(unfinished)
    else:
        unfinished.rename(out)


def main() -> None:
    out = folder()
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        build(out)
    print(out)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
