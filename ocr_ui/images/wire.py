"""Messages between the product and its decoding process: a JSON object, and a file descriptor for what is large.

Buffers are anonymous files in memory, so that pixels are written once and mapped by the other side, and so that the
small /dev/shm of containers does not matter.
"""

from __future__ import annotations

import json
import mmap
import os
import socket
import struct
import tempfile
from typing import Any

_LENGTH = struct.Struct("!I")


class HungUp(Exception):
    """The other side is gone."""


def send(sock: socket.socket, message: dict[str, Any], fd: int | None = None) -> None:
    body = json.dumps(message).encode()
    try:
        socket.send_fds(sock, [_LENGTH.pack(len(body))], [] if fd is None else [fd])
        sock.sendall(body)
    except (BrokenPipeError, ConnectionResetError) as error:
        raise HungUp from error


def receive(sock: socket.socket) -> tuple[dict[str, Any], int | None]:
    """The next message, and the descriptor that came with it: the caller closes it.

    Raises:
        HungUp: the other side closed its end or died.
        TimeoutError: by the time-out that is set on the socket.
    """
    try:
        head, fds, _, _ = socket.recv_fds(sock, _LENGTH.size, 1)
        head += _exactly(sock, _LENGTH.size - len(head)) if head else b""
        if not head:
            raise HungUp
        body = _exactly(sock, *_LENGTH.unpack(head))
    except ConnectionResetError as error:
        raise HungUp from error
    return json.loads(body), fds[0] if fds else None


def _exactly(sock: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = sock.recv(size - len(parts))
        if not part:
            raise HungUp
        parts += part
    return bytes(parts)


def new_buffer(size: int) -> int:
    """Descriptor of an anonymous file of `size` bytes."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("ocr_ui", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, size)
    return fd


def mapped(fd: int, access: int = mmap.ACCESS_WRITE) -> mmap.mmap:
    """The whole buffer as memory, shared with whoever else maps it."""
    return mmap.mmap(fd, os.fstat(fd).st_size, access=access)
