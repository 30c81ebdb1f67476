"""An object file's code as a graph: which function refers to which symbol. Reads what g++ writes on x86-64, and no more.

Functions stand in sections of their own (``-ffunction-sections``), so that a section's relocations are what its function reaches.
Layout: System V ABI, "Object Files"; x86-64 psABI, "Relocation". Example::

    found = read_object(Path("unit.o").read_bytes())
    [found.symbols[r.symbol].name for r in found.references[section_index]]
"""

from __future__ import annotations

import struct

from assistant.record import Record

__all__ = ["UNDEFINED", "ObjectFile", "Reference", "Section", "Symbol", "grown_sections", "read_object", "thread_sections"]

UNDEFINED = 0
"""Section index of a symbol that another file defines."""
_FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_RELOCATIONS = 4
"""``SHT_RELA``"""
_NO_CONTENTS = 8
"""``SHT_NOBITS``"""
_THREAD_LOCAL = 0x400
"""``SHF_TLS``"""
_SIZE_OFFSET_BYTES = 32
"""Offset of ``sh_size`` in a section's header."""
_EXECUTABLE = 4
"""``SHF_EXECINSTR``"""
_SYMBOL_TABLE = 2
"""``SHT_SYMTAB``"""
_EXTENDED_INDEXES = 18
"""``SHT_SYMTAB_SHNDX``: section indexes that do not fit into a symbol's 16 bits."""
_EXTENDED = 0xFFFF
_FIRST_SPECIAL_SECTION = 0xFF00
"""``SHN_LORESERVE``: absolute and common symbols stand in no section."""
_FUNCTIONS = frozenset({2, 10})
"""``STT_FUNC`` and ``STT_GNU_IFUNC``"""
_SECTION_SYMBOL = 3
"""``STT_SECTION``: stands for its section as a whole."""


class Section(Record):
    name: str
    offset: int
    """Offset of its contents in the file."""
    size_bytes: int
    is_code: bool
    has_contents: bool


class Symbol(Record):
    name: str
    """Mangled; empty for a section's own symbol."""
    section: int | None
    """Index of the section that defines it, ``UNDEFINED`` where none does; None for an absolute address and the like."""
    offset: int
    """In that section."""
    is_function: bool
    is_local: bool
    visibility: int
    """0 default, 1 internal, 2 hidden, 3 protected."""


class Reference(Record):
    """One relocation: the place that needs an address, and whose."""

    offset: int
    """In its section."""
    symbol: int
    """Index of the symbol."""
    addend: int
    """Added to the symbol's address; 4 less than meant where a jump counts from its own end."""


class ObjectFile(Record):
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    references: dict[int, tuple[Reference, ...]]
    """By index of the section that they stand in; without those of debugging information."""
    data: bytes

    def contents(self, section: int) -> bytes:
        found = self.sections[section]
        return self.data[found.offset : found.offset + found.size_bytes] if found.has_contents else b""


def read_object(data: bytes) -> ObjectFile:
    """Raises ValueError where the bytes are no 64-bit little-endian object file."""
    _check(data)
    raw, names = _section_headers(data)
    strings = raw[names][4]
    sections = tuple(Section(_text(data, strings + r[0]), r[4], r[5], bool(r[2] & _EXECUTABLE), r[1] != _NO_CONTENTS) for r in raw)
    symbols = _symbols(data, raw)
    references = {
        r[7]: tuple(Reference(at, info >> 32, addend) for at, info, addend in _RELOCATION.iter_unpack(data[r[4] : r[4] + r[5]]))
        for r in raw
        if r[1] == _RELOCATIONS and not sections[r[7]].name.startswith((".debug", ".eh_frame"))
    }
    return ObjectFile(sections, symbols, references, data)


def thread_sections(data: bytes) -> tuple[int, ...]:
    """Indexes of the sections of thread-local variables that start as zeros. Raises ValueError where the bytes are no object file."""
    _check(data)
    raw, _ = _section_headers(data)
    return tuple(index for index, r in enumerate(raw) if r[1] == _NO_CONTENTS and r[2] & _THREAD_LOCAL and r[5])


def grown_sections(data: bytes, by_bytes: dict[int, int]) -> bytes:
    """The object with these sections larger, which must be without contents in the file."""
    grown = bytearray(data)
    table: int = _FILE_HEADER.unpack_from(data)[6]
    for index, more in by_bytes.items():
        place = table + index * _SECTION_HEADER.size + _SIZE_OFFSET_BYTES
        (size,) = struct.unpack_from("<Q", data, place)
        struct.pack_into("<Q", grown, place, size + more)
    return bytes(grown)


def _check(data: bytes) -> None:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no object file of a 64-bit little-endian machine")


def _section_headers(data: bytes) -> tuple[list[tuple[int, ...]], int]:
    """All of them as they stand, and which of them holds their names; the first says what does not fit into the file's header."""
    header: tuple[int, ...] = _FILE_HEADER.unpack_from(data)[1:]
    table, count, names = header[5], header[11], header[12]
    first: tuple[int, ...] = _SECTION_HEADER.unpack_from(data, table)
    count, names = count or first[5], first[6] if names == _EXTENDED else names
    return [_SECTION_HEADER.unpack_from(data, table + index * _SECTION_HEADER.size) for index in range(count)], names


def _symbols(data: bytes, raw: list[tuple[int, ...]]) -> tuple[Symbol, ...]:
    table = next((r for r in raw if r[1] == _SYMBOL_TABLE), None)
    if table is None:
        return ()
    strings = raw[table[6]][4]
    extended = next((r for r in raw if r[1] == _EXTENDED_INDEXES), None)
    wide = () if extended is None else struct.unpack_from(f"<{extended[5] // 4}I", data, extended[4])
    found: list[Symbol] = []
    for index, (name, info, other, section, value, _) in enumerate(_SYMBOL.iter_unpack(data[table[4] : table[4] + table[5]])):
        place = wide[index] if section == _EXTENDED and wide else section if section < _FIRST_SPECIAL_SECTION else None
        text = "" if info & 15 == _SECTION_SYMBOL else _text(data, strings + name)
        found.append(Symbol(text, place, value, info & 15 in _FUNCTIONS, info >> 4 == 0, other & 3))
    return tuple(found)


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("utf-8", "replace")
