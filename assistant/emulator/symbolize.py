"""Program addresses as source lines and kernel names, by ``addr2line`` and ``nm``; kept per binary.

The place of an address is the innermost frame in user code: frames of the emulator's own headers and of the system's are skipped,
so that an atomic belongs to the line that calls it.
"""

from __future__ import annotations

import re
import shutil
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.same_names import named_in, shortest_names
from assistant.emulator.basic_blocks import CALL_BYTES, Code, block_starts, branch_behind, inner_addresses, read_code
from assistant.emulator.binutils import setting_of
from assistant.emulator.toolchain import INCLUDE_DIR, RUNTIME_DIR
from assistant.record import Record
from assistant.worker.launcher import Launcher
from assistant.worker.tools import run_tool

__all__ = ["BlockPlace", "Place", "Symbolizer", "SymbolsMissing"]

_TIMEOUT_S = 60.0
_OUTPUT_BYTES = 256 << 20
"""Names of a program with many templates."""
_OWN_PREFIXES = (str(INCLUDE_DIR) + "/", str(RUNTIME_DIR) + "/", "/usr/include/", "/usr/lib/", "/usr/local/include/")
_OWN_FOLDERS = tuple(f"/{'/'.join(folder.parts[-3:])}/" for folder in (INCLUDE_DIR, RUNTIME_DIR))
"""Programs in the cache may come from another installation of this version, whose headers lie elsewhere."""
_LOCATION = re.compile(r"^(?P<file>.*):(?P<line>\d+|\?)(?: \(discriminator \d+\))?$")
_INTERNAL = "t"
"""nm's letter for code that other units cannot see."""
_RESERVED = re.compile(r"_|std::|emu|Emu|operator|__gnu_cxx::|guard variable")
"""Names of no kernel of a user's."""
_FUNCTION_TYPES = frozenset("TtWwuiV")
"""nm's letters for code (man nm): text, weak, unique, ifunc."""


class SymbolsMissing(Exception):  # noqa: N818
    """binutils cannot be run here; the message says what to install."""


class Place(Record):
    """A source line; file empty and line 0 where the debug information names none."""

    file: str
    line: int
    function: str


class BlockPlace(Record):
    """A basic block of the program."""

    address: int
    """As a run's report names it: behind the call with which the block begins."""
    function: int
    """Address of the function that it is in."""
    places: tuple[tuple[str, int], ...]
    """(file, line) of what it holds, in the order of its instructions."""
    branch: tuple[str, int] | None
    """Place of the conditional jump that ends it; None where it ends without one."""


_NOWHERE = Place("", 0, "")


class Symbolizer:
    """Places and names of a binary."""

    def __init__(self, binary: Path, launcher: Launcher | None = None) -> None:
        self._binary = binary
        self._launcher = launcher
        self._places: dict[int, Place] = {}
        self._names: dict[int, str] | None = None
        self._code: Code | None = None

    def places(self, return_addresses: Iterable[int]) -> dict[int, Place]:
        """Where the calls before the return addresses stand."""
        wanted = sorted({a for a in return_addresses if a})
        missing = [a for a in wanted if a not in self._places]
        if missing:
            self._places.update(self._look_up(missing))
        return {a: self._places.get(a, _NOWHERE) for a in wanted} | {0: _NOWHERE}

    def blocks(self, executed: Collection[int]) -> tuple[BlockPlace, ...]:
        """Every basic block of the functions that hold ``executed`` ones, in the order of their addresses."""
        if self._code is None:
            self._code = read_code(self._binary)
        if self._code is None or not executed:
            return ()
        code = self._code
        functions = sorted(self.function_addresses().values())
        starts = block_starts(code, executed)
        ran = {_holder(functions, start) for start in executed}
        ends = tuple(sorted((*starts, *(end + CALL_BYTES for end in functions))))
        wanted = {start: inner_addresses(ends, start) for start in starts if _holder(functions, start) in ran}
        branches = {start: branch_behind(code, starts, start) or 0 for start in wanted}
        places = self.places((*branches.values(), *(address for inside in wanted.values() for address in inside)))
        return tuple(
            BlockPlace(
                start,
                _holder(functions, start),
                tuple(dict.fromkeys((p.file, p.line) for a in inside if (p := places[a]).line)),
                (places[branches[start]].file, places[branches[start]].line) if branches[start] else None,
            )
            for start, inside in wanted.items()
        )

    def function_name(self, address: int) -> str:
        """Demangled symbol without its return type; ``kernel at 0x…`` where the binary has none.

        Where units have functions of one name, as ``static`` ones, the file stands in front: ``first.cu:k(float*)``.
        """
        if self._names is None:
            self._names = self._read_names()
        return self._names.get(address, f"kernel at {address:#x}")

    def function_addresses(self) -> dict[str, int]:
        """Address of each demangled function."""
        if self._names is None:
            self._names = self._read_names()
        return {name: address for address, name in self._names.items()}

    def _look_up(self, addresses: Sequence[int]) -> dict[int, Place]:
        request = "\n".join(f"{address - 1:#x}" for address in addresses)
        text = self._run(("addr2line", "-a", "-i", "-f", "-C", "-e", str(self._binary)), request)
        blocks = re.split(r"^0x[0-9a-f]+\n", text, flags=re.MULTILINE)[1:]
        return {address: _innermost_user_frame(block) for address, block in zip(addresses, blocks, strict=False)}

    def _read_names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        internal = set[int]()
        for line in self._run(("nm", "-C", "--defined-only", str(self._binary)), "").splitlines():
            address, _, rest = line.partition(" ")
            kind, _, name = rest.partition(" ")
            if kind in _FUNCTION_TYPES and name:
                names.setdefault(int(address, 16), name.removeprefix("void "))
                internal |= {int(address, 16)} if kind == _INTERNAL else set[int]()
        return names | self._with_files(names, internal)

    def _with_files(self, names: Mapping[int, str], internal: Collection[int]) -> dict[int, str]:
        """Names with files in front, by address: of functions whose units' other files have one of the same name."""
        by_name: dict[str, list[int]] = {}
        for address, name in names.items():
            if _RESERVED.match(name) is None:
                by_name.setdefault(_name_without_lists(name), []).append(address)
        alike = [group for group in by_name.values() if len(group) > 1 and any(address in internal for address in group)]
        files = {address - 1: place.file for address, place in self.places(one + 1 for group in alike for one in group).items()}
        found: dict[int, str] = {}
        for group in alike:
            labels = shortest_names({files[address] for address in group if files[address]})
            found |= {one: named_in(labels[files[one]], names[one]) for one in group if len(labels) > 1 and files[one]}
        return found

    def _run(self, command: tuple[str, ...], standard_input: str) -> str:
        """What the tool says; little or nothing where a binary is more than it can take."""
        path = shutil.which(command[0])
        if path is None:
            raise SymbolsMissing(f"{command[0]} is missing: apt-get install binutils")
        limited = setting_of(path, self._binary, self._launcher)
        how = replace(limited, stdin=standard_input, output_bytes=_OUTPUT_BYTES, has_errors_in_output=False)
        return run_tool((path, *command[1:]), _TIMEOUT_S, how).output


def _holder(functions: Sequence[int], address: int) -> int:
    """The last of the functions, in order, that begins before the address."""
    index = bisect_right(functions, address) - 1
    return functions[index] if index >= 0 else 0


def _name_without_lists(demangled: str) -> str:
    """``ns::k`` of ``ns::k<float>(float*)``."""
    return re.split(r"[<(]", demangled.replace("(anonymous namespace)::", ""), maxsplit=1)[0]


def _innermost_user_frame(block: str) -> Place:
    lines = block.splitlines()
    for function, location in zip(lines[::2], lines[1::2], strict=False):
        match = _LOCATION.match(location)
        if match is None or match["file"] == "??":
            continue
        line = int(match["line"]) if match["line"] != "?" else 0
        if not _is_own(match["file"]):
            return Place(match["file"], line, function)
    return _NOWHERE


def _is_own(file: str) -> bool:
    return file.startswith(_OWN_PREFIXES) or any(folder in file for folder in _OWN_FOLDERS)
