"""The text of single tokens, put against the text that they make together."""

from __future__ import annotations

from collections.abc import Sequence

_NEAR = 16
"""Characters that a token whose own text is unknown may stand for before the next known one is found."""


def aligned(said: Sequence[str], text: str) -> tuple[str, ...]:
    """`said`, changed so that it adds up to `text` with every token at its place. Linear in the length.

    A token that is a part of a character has no text of its own, or a replacement character: it becomes empty, and the
    last token of the character carries it. One wrong token does not move the others.

    Args:
        said: what each token is by itself, in order.
        text: what they are together.
    """
    if not said or "".join(said) == text:
        return tuple(said)
    pieces = [""] * len(said)
    begun, place = 0, 0  # the first token that waits for its text, and where that text begins
    for number, own in enumerate(said):
        at = text.find(own, place, place + len(own) + _NEAR) if own else -1
        if at < 0 or (at > place and begun == number):
            continue  # not there, or a text before it that no token would own
        if begun < number:
            pieces[number - 1] = text[place:at]
        pieces[number] = own
        begun, place = number + 1, at + len(own)
    pieces[-1] += text[place:]
    return tuple(pieces)
