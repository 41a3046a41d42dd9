"""How long a search in recognised text takes: `python benchmarks/search.py [--items 10000]`.

Pages of some 1,500 characters, half of them Chinese, every tenth corrected. Each question is asked five times as the
Dataset tab asks it, a window of 50 rows and the count of all; the median counts. Deleting is of one item.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from stored import add_item, content, open_store

from ocr_ui.services.erase import Eraser
from ocr_ui.storage.items import Filters
from ocr_ui.storage.store import DATABASE, Store

TIMES = 5
LINES = 30
WORDS = ("invoice", "total", "amount", "customer", "number", "street", "city", "payment", "delivery", "note", "tax")
CHARACTERS = "发票金额合计单价数量税率名称规格地址电话开户行账号收款人复核销售方购买方备注日期项目服务产品编码"


def page(seed: random.Random, number: int) -> list[str]:
    english = [" ".join(seed.choices(WORDS, k=7)) for _ in range(LINES)]
    chinese = ["".join(seed.choices(CHARACTERS, k=50)) for _ in range(LINES)]
    return [f"No. {number:06d}", *(english if number % 2 else chinese)]


def filled(store: Store, items: int) -> float:
    """Seconds to store the items."""
    seed, begin = random.Random(1), time.perf_counter()
    with store.transaction():
        for number in range(1, items + 1):
            texts = page(seed, number)
            item = add_item(store, texts, f"scan-{number}.png")
            if number % 10 == 0:
                store.corrections.add(item, 0, content(*texts[:-1], "corrected by hand"), None)
    return time.perf_counter() - begin


def asked(store: Store, filters: Filters) -> tuple[float, int]:
    """Median seconds, and how many items there are."""
    took = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        with store.one_moment():
            store.items.list(filters)
            count = store.items.count(filters)
        took.append(time.perf_counter() - begin)
    return statistics.median(took), count


def main(items: int) -> None:
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as store:
        print(f"{items} items stored in {filled(store, items):.1f} s")
        print(f"database {(Path(folder) / DATABASE).stat().st_size / 1e6:.0f} MB")
        rare = f"{items // 2:06d}"
        for name, wanted in {
            "everything": "",
            "one item": f"No. {rare}",
            "many items": "customer",
            "corrected ones": "corrected by hand",
            "nothing": "zebra crossing",
            "Chinese, 3 characters": "开户行",
            "Chinese, 2 characters": "发票",
            "1 character": "票",
        }.items():
            seconds, count = asked(store, Filters(text=wanted))
            print(f"{name:24}{count:8} found {seconds * 1000:9.1f} ms")
        for item in (1, 2):
            begin = time.perf_counter()
            Eraser(store).erase_now([item])
            print(f"item {item} deleted for good in {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--items", type=int, default=10_000)
    main(arguments.parse_args().items)
