"""Zips made by hand: the form Inspect writes, which zipfile cannot, and hostile ones."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import pyarrow as pa

STORED, DEFLATED, LZMA, ZSTANDARD = 0, 8, 14, 93
ENCRYPTED = 0x1
_UTF_8 = 0x800
_NO_ZIP64 = 0xFFFFFFFF


@dataclass(frozen=True)
class Member:
    """A member of a zip, and what the zip is to claim about it where that is not the truth."""

    name: str
    data: bytes
    method: int = ZSTANDARD
    flags: int = 0
    declared_size: int | None = None
    declared_packed: int | None = None
    name_in_directory: str | None = None
    offset: int | None = None
    crc: int | None = None

    @property
    def packed(self) -> bytes:
        """The data as this method leaves them."""
        if self.method == ZSTANDARD:
            return bytes(pa.compress(self.data, codec="zstd", asbytes=True))
        if self.method == DEFLATED:
            packer = zlib.compressobj(wbits=-15)
            return packer.compress(self.data) + packer.flush()
        return self.data

    def header(self, name: str, offset: int | None = None) -> bytes:
        """The entry before the data, or the one in the directory if it has an offset."""
        packed = len(self.packed) if self.declared_packed is None else self.declared_packed
        size = len(self.data) if self.declared_size is None else self.declared_size
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        wide = [number for number in (size, packed, offset or 0) if number >= _NO_ZIP64]
        extra = struct.pack(f"<2H{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        size, packed, place = (min(number, _NO_ZIP64) for number in (size, packed, offset or 0))
        what = (self.flags | _UTF_8, self.method, 0, 0x21, crc, packed, size)
        lengths = (len(name.encode()), len(extra))
        if offset is None:
            head = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, *what, *lengths)
        else:
            head = struct.pack(
                "<4s6H3L5H2L", b"PK\x01\x02", 20, 20, *what, *lengths, 0, 0, 0, 0, place
            )
        return head + name.encode() + extra


def zip_of(*members: Member, declared_entries: int | None = None) -> bytes:
    """Return a zip; a number of entries that is declared is written as Zip64 has it."""
    body, directory = b"", b""
    for member in members:
        offset = len(body) if member.offset is None else member.offset
        directory += member.header(member.name_in_directory or member.name, offset)
        body += member.header(member.name) + member.packed
    end = b""
    entries = (len(members),) * 2
    if declared_entries is not None:
        entries = (0xFFFF, 0xFFFF)
        numbers = (declared_entries, declared_entries, len(directory), len(body))
        end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, *numbers)
        end += struct.pack("<4sLQL", b"PK\x06\x07", 0, len(body + directory), 1)
    end += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, *entries, len(directory), len(body), 0)
    return body + directory + end
