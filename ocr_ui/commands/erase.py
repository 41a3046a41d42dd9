"""`python -m ocr_ui delete`: items for good, with their pictures."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from ocr_ui.commands.access import as_console
from ocr_ui.commands.filters import add_filter, read_given
from ocr_ui.commands.output import print_json
from ocr_ui.domain.counted import counted
from ocr_ui.errors import BadInput
from ocr_ui.settings import Settings


def add_erase(commands: Any) -> None:
    command = commands.add_parser(
        "delete",
        help="items for good: what was read, corrected and said of them, and their pictures",
        description="Deletes items with all that is known of them, and their pictures where no other item needs them. "
        "What was exported before is not touched.",
    )
    command.add_argument("items", type=int, nargs="*", metavar="ITEM", help="numbers of items")
    add_filter(command)
    command.add_argument("--frozen", action="store_true", help="also where an item stands in a frozen version")
    command.add_argument("--yes", action="store_true", help="do not ask")
    command.set_defaults(run=_erase)


def _erase(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.dataset import read_filters, set_filters
    from ocr_ui.services.erase import MOST_ITEMS, Eraser
    from ocr_ui.storage.store import Store

    filters = read_given(arguments.filter)
    if bool(arguments.items) == bool(filters):
        raise BadInput("nothing_named", "Name the items, or a filter that chooses them.", "See --help.")
    for name, value in filters.items():
        if not set_filters(read_filters({name: value})):
            # As of a variable of a shell that is not set: it would let all items through.
            told = f"The filter {name} has no value, so that it would choose all items; nothing was deleted."
            raise BadInput("blank_filter", told, f"Write {name}=VALUE.", name=name)
    with Store.open(settings) as store, as_console(store):
        wanted = read_filters(filters)
        items = arguments.items or store.items.ids(wanted, "oldest", store.items.count(wanted))
        if not items:
            raise BadInput("nothing_to_delete", "No item fits the filter.", "Choose another filter.")
        if not arguments.yes and not _agreed(len(items)):
            raise BadInput("not_agreed", "Nothing was deleted.", "Say --yes.")
        eraser = Eraser(store)
        for start in range(0, len(items), MOST_ITEMS):
            print_json(asdict(eraser.erase_now(items[start : start + MOST_ITEMS], arguments.frozen)))
    return 0


def _agreed(items: int) -> bool:
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(f"Delete {counted(items, 'item with its picture', 'items with their pictures')}, for good? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
