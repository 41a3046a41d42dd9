"""Small PDF files, written by hand so that each can be wrong in one way."""

from __future__ import annotations

TEXT = b"BT /F1 24 Tf 20 20 Td (Total 123.45) Tj ET"


def pdf(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A file of the given objects, numbered from 1; object 1 is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def pages(boxes: list[tuple[float, float]], extra: bytes = b"", trailer: bytes = b"") -> bytes:
    """A document whose pages have these sizes in points, each with a line of text near its lower left corner."""
    kids = b" ".join(b"%d 0 R" % number for number in range(5, 5 + len(boxes)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(boxes)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(TEXT), TEXT),
    ]
    for width, height in boxes:
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> %s >>" % (f"{width:f}".encode(), f"{height:f}".encode(), extra)
        )
    return pdf(objects, trailer)


def locked() -> bytes:
    """A document whose password is not the empty one: its check values are arbitrary."""
    key = b"<" + b"41" * 32 + b">"
    encrypt = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O %s /U %s /P -4 >> /ID [<00> <00>]" % (key, key)
    return pages([(200, 100)], trailer=encrypt)
