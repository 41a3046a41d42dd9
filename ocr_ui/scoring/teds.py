"""Similarity of tables by the edit distance of their trees (TEDS), with or without what the cells say.

An implementation of its own (Zhang and Shasha's algorithm over lxml trees): the packages that there are compare trees
node by node in plain Python and bring a second edit distance along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

MOST_NODES = 3_000
"""Nodes of one table that are compared; more would take many seconds."""

_PARSER_OPTIONS = {"remove_comments": True, "remove_pis": True, "huge_tree": True, "no_network": True}
_ROW_AT_ONCE = 4
"""So many nodes of one subtree are worked on in the time that one node takes for all subtrees of a shape."""


class TooLarge(Exception):
    """A table has more nodes than are compared."""


@dataclass(slots=True)
class Node:
    """An element of a table: only cells (td) say something; what stands in other elements does not count."""

    tag: str
    colspan: int = 1
    rowspan: int = 1
    content: tuple[str, ...] = ()
    children: list[Node] = field(default_factory=list)

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)


def similarity(one: str, other: str, structure_only: bool = False) -> float:
    """TEDS of two tables as HTML, 0..1; 0 where either is none.

    Raises:
        TooLarge: a table has more than 3,000 nodes, or hundreds within each other.
        ValueError: a span is no number.
    """
    try:
        return _similarity(one, other, structure_only)
    except RecursionError as error:
        raise TooLarge from error


def _similarity(one: str, other: str, structure_only: bool) -> float:
    first, second = _table(one), _table(other)
    if first is None or second is None:
        return 0.0
    ours, theirs = _tree(first, structure_only), _tree(second, structure_only)
    count = max(ours.size, theirs.size)
    if count > MOST_NODES:
        raise TooLarge
    return 1 - distance(ours, theirs) / count


def distance(one: Node, other: Node) -> float:
    """Cheapest way from tree to tree: a node put in or taken out costs 1, one that becomes another up to 1."""
    return 0.0 if one == other else _Distance(one, other).whole()


def _table(html: str) -> etree._Element | None:
    page = f"<html><body>{html}</body></html>".encode(errors="replace")
    root = etree.fromstring(page, etree.HTMLParser(encoding="utf-8", **_PARSER_OPTIONS))
    found = [] if root is None else root.xpath("body/table")
    return found[0] if found else None


def _tree(element: etree._Element, structure_only: bool) -> Node:
    if element.tag != "td":
        children = [_tree(child, structure_only) for child in element.iterchildren(tag=etree.Element)]
        return Node(str(element.tag), children=children)
    content = () if structure_only else tuple(_tokens(element))
    return Node("td", _span(element, "colspan"), _span(element, "rowspan"), content)


def _span(element: etree._Element, name: str) -> int:
    return int(element.get(name, "1"))


def _tokens(element: etree._Element) -> list[str]:
    """The characters of a cell, and tags within it as one token each."""
    tokens = list(element.text or "")
    for child in element.iterchildren(tag=etree.Element):
        tokens += [f"<{child.tag}>", *_tokens(child), f"</{child.tag}>", *(child.tail or "")]
    return tokens


def _flat(root: Node) -> tuple[list[Node], list[int]]:
    """Nodes from the leaves up (postorder), and for each the place of its leftmost leaf."""
    nodes: list[Node] = []
    leftmost: list[int] = []

    def visit(node: Node) -> int:
        first = [visit(child) for child in node.children]
        nodes.append(node)
        leftmost.append(first[0] if first else len(nodes) - 1)
        return leftmost[-1]

    visit(root)
    return nodes, leftmost


class _Distance:
    """Tree edit distance. Rows of one shape, of which tables consist, are compared all at once."""

    def __init__(self, one: Node, other: Node) -> None:
        ours, left = _flat(one)
        theirs, right = _flat(other)
        self._left, self._right = left, np.array(right)
        self._renamed = _rename_costs(ours, theirs)
        self._trees = self._renamed.copy()
        self._roots = _key_roots(left)
        self._groups = _same_shapes(right)

    def whole(self) -> float:
        for i in self._roots:
            for width, seconds in self._groups:
                if width == 1 and self._left[i] == i:
                    continue  # of two leaves one becomes the other
                if len(seconds) * _ROW_AT_ONCE > width:
                    self._compare_all(i, seconds, width)
                else:
                    for second in seconds:
                        self._compare_one(i, int(second), width)
        return float(self._trees[-1, -1])

    def _compare_all(self, i: int, seconds: np.ndarray, width: int) -> None:
        """Distances of all pairs of subtrees on the leftmost paths of our subtree and of each of theirs.

        Args:
            seconds: leftmost leaves of their subtrees, all of one shape with `width` nodes.
        """
        left, first = self._left, self._left[i]
        shape = (self._right[seconds[0] : seconds[0] + width] - seconds[0]).tolist()
        forest = np.empty((i - first + 2, width + 1, len(seconds)))
        forest[0] = np.arange(width + 1)[:, None]
        forest[:, 0] = np.arange(i - first + 2)[:, None]
        for n, a in enumerate(range(first, i + 1), 1):
            tree, renamed, apart = self._trees[a], self._renamed[a], forest[left[a] - first]
            for b in range(width):
                on_path = left[a] == first and shape[b] == 0
                joined = forest[n - 1, b] + renamed[seconds + b] if on_path else apart[shape[b]] + tree[seconds + b]
                forest[n, b + 1] = np.minimum(np.minimum(forest[n - 1, b + 1], forest[n, b]) + 1, joined)
                if on_path:
                    tree[seconds + b] = forest[n, b + 1]

    def _compare_one(self, i: int, second: int, width: int) -> None:
        """As `_compare_all`, a row of the forest at a time: what it owes to its earlier cells is a running minimum."""
        left, first = self._left, self._left[i]
        right = self._right[second : second + width] - second
        path = right == 0
        steps = np.arange(width + 1, dtype=float)
        forest = np.empty((i - first + 2, width + 1))
        forest[0] = steps
        for n, a in enumerate(range(first, i + 1), 1):
            tree = self._trees[a, second : second + width]
            joined = forest[left[a] - first, right] + tree
            if left[a] == first:
                renamed = self._renamed[a, second : second + width]
                joined[path] = forest[n - 1, :-1][path] + renamed[path]
            row = np.concatenate(([float(n)], np.minimum(forest[n - 1, 1:] + 1, joined)))
            forest[n] = np.minimum.accumulate(row - steps) + steps
            if left[a] == first:
                tree[path] = forest[n, 1:][path]


def _same_shapes(leftmost: list[int]) -> list[tuple[int, np.ndarray]]:
    """The key roots' subtrees by their shape, smaller ones first: number of nodes, and their leftmost leaves."""
    found: dict[tuple[int, ...], list[int]] = {}
    for root in _key_roots(leftmost):
        second = leftmost[root]
        found.setdefault(tuple(leaf - second for leaf in leftmost[second : root + 1]), []).append(second)
    return [(len(shape), np.array(found[shape])) for shape in sorted(found, key=len)]


def _key_roots(leftmost: list[int]) -> list[int]:
    """Of the nodes with the same leftmost leaf the highest, in order."""
    return sorted({leaf: node for node, leaf in enumerate(leftmost)}.values())


def _rename_costs(ours: Sequence[Node], theirs: Sequence[Node]) -> np.ndarray:
    """Array of shape (ours, theirs): what it costs that a node becomes the other."""
    numbers: dict[tuple[str, int, int, tuple[str, ...]], int] = {}
    kinds = [
        [numbers.setdefault((n.tag, n.colspan, n.rowspan, n.content), len(numbers)) for n in side]
        for side in (ours, theirs)
    ]
    contents = [kind[3] for kind in numbers]
    costs = cdist(contents, contents, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    forms: dict[tuple[str, int, int], int] = {}
    form = np.array([forms.setdefault(kind[:3], len(forms)) for kind in numbers])
    costs[form[:, None] != form[None, :]] = 1.0
    return costs[np.ix_(*kinds)]
