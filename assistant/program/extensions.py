"""PyTorch extensions that a workspace's Python files build: names, sources and flags, read from their texts.

``CUDAExtension`` of a ``setup.py``, ``load`` and ``load_inline`` of any file. Example::

    read_extensions(Path("/p/setup.py"), text, Path("/p")).found[0].sources     # (Path("/p/ops.cpp"), Path("/p/ops_kernel.cu"))
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assistant.build.flags import normalise
from assistant.build.safe_flags import refused_flag
from assistant.cuda.embedded.in_python import TextInPython, texts_of, unread_of
from assistant.program.python_operations import FoundCall, Unknown, is_list, is_table
from assistant.program.python_reading import parsed_python, read_python
from assistant.program.wording import enumerated
from assistant.record import Record

__all__ = ["Extension", "Extensions", "mentions_extension", "read_extensions"]

_MODULE = "torch.utils.cpp_extension"
_BUILT = {f"{_MODULE}.CUDAExtension": True, f"{_MODULE}.CppExtension": True, f"{_MODULE}.load": False}
"""Function → whether a ``setup.py`` calls it."""
_INLINE = f"{_MODULE}.load_inline"
_WANTED = frozenset({*_BUILT, _INLINE})
_INLINE_ARGUMENTS = ("name", "cpp_sources", "cuda_sources", "functions", "extra_cflags", "extra_cuda_cflags")
_LOAD_ARGUMENTS = ("name", "sources", "extra_cflags", "extra_cuda_cflags", "extra_ldflags", "extra_include_paths")
_SETUP_ARGUMENTS = ("name", "sources", "include_dirs", "define_macros")
"""In the order of the functions' parameters (PyTorch 2, setuptools' Extension)."""
_MENTION = "cpp_extension"
_TO_A_FILE = "write it to a .cu file and give load(sources=[…]) that"
_DEVICE_FLAGS = "nvcc"


class Extension(Record):
    """One extension that a Python file builds."""

    name: str
    file: Path
    """The Python file."""
    line: int
    sources: tuple[Path, ...]
    """As far as they could be read, absolute; the files need not be there."""
    is_of_setup: bool
    """Built by ``setup.py``, not by the script that uses it."""
    folder: Path
    """From which relative sources are found: where the script has to run."""
    flags: tuple[str, ...] = ()
    """The device compiler's flags, the extension's own, one word each; folders absolute."""
    problems: tuple[str, ...] = ()
    """In words, what could not be read."""
    text_line: int | None = None
    """Where its only source is a text of the file itself (``load_inline``): the line on which that begins. None: its sources are files."""


class Extensions(Record):
    """What one Python file builds."""

    found: tuple[Extension, ...] = ()
    inline: tuple[str, ...] = ()
    """In words, CUDA texts inside the file itself (``load_inline``) that cannot be read."""


def mentions_extension(text: str) -> bool:
    """A first, quick question."""
    return _MENTION in text


def read_extensions(file: Path, text: str, workspace: Path) -> Extensions:
    """All extensions of one file, in the order of its text; none where it is no Python."""
    module = parsed_python(text) if mentions_extension(text) else None
    if module is None:
        return Extensions()
    read = read_python(file, module, _WANTED)
    notes = list[str]()
    if read.variables:
        notes.append(f"{file.name} is read as if {enumerated(sorted(read.variables))} were not set")
    if read.skipped:
        places = enumerated([f"line {each.line}, {each.text}" for each in read.skipped])
        notes.append(f"{file.name} is read without what depends on {places}")
    calls = {call.line: call for call in read.called}.values()  # a function that is called twice says the same twice
    built = [_extension(call, file, workspace, tuple(notes)) for call in calls if call.function in _BUILT]
    inline = [call for call in calls if call.function == _INLINE]
    texts = {each.used_on_line: each for each in texts_of(file, text)} if inline else {}
    built += [_inline(call, file, texts[call.line], tuple(notes)) for call in inline if call.line in texts]
    found: dict[str, Extension] = {}
    for each in built:
        found.setdefault(each.name, each)
    lines = {call.line for call in inline if call.line not in texts}
    return Extensions(tuple(found.values()), tuple(_unread(file, text, lines)))


def _unread(file: Path, text: str, lines: set[int]) -> Iterator[str]:
    """Why CUDA texts that are used on these lines are not read."""
    reasons = dict(unread_of(text)) if lines else {}
    for line in sorted(lines):
        reason = reasons.get(line) or ("; ".join(f"line {at}: {why}" for at, why in reasons.items()) or "it holds no kernel")
        yield f"{file.name}:{line} gives load_inline a CUDA text that is not read ({reason}): {_TO_A_FILE}"


def _inline(call: FoundCall, file: Path, text: TextInPython, notes: tuple[str, ...]) -> Extension:
    """One whose source is a text of the file itself."""
    given = {**dict(zip(_INLINE_ARGUMENTS, call.positional, strict=False)), **call.named}
    name = given.get("name")
    flags, left_out = _flags(given, file.parent, is_of_setup=False)
    problems = (*notes, *([f"{file.name}:{call.line}: flags are left out: {enumerated(left_out)}"] if left_out else []))
    name = name if isinstance(name, str) else file.stem
    return Extension(name, file, call.line, (text.path,), False, file.parent, flags, problems, text.line)


def _extension(call: FoundCall, file: Path, workspace: Path, notes: tuple[str, ...]) -> Extension:
    is_of_setup = _BUILT[call.function]
    words = _SETUP_ARGUMENTS if is_of_setup else _LOAD_ARGUMENTS
    given = {**dict(zip(words, call.positional, strict=False)), **call.named}
    place, table = f"{file.name}:{call.line}", call.function.rpartition(".")[2]
    name = given.get("name")
    problems = list(notes)
    if not isinstance(name, str):
        problems.append(f"{place}: the name of {table} cannot be read ({_written(name)})")
        name = file.parent.name
    written, unread = _paths(given.get("sources"))
    if unread or not written:
        what = f" ({enumerated(unread)})" if unread else ""
        remedy = f'write [program.{_key(name)}] with sources = […] and run = "python …" into kernelopt.toml'
        problems.append(f"{place}: the sources of {table} {name} are computed{what}, which is not followed: {remedy}")
    folder = _start(written, file.parent, workspace)
    flags, left_out = _flags(given, folder, is_of_setup)
    if left_out:
        problems.append(f"{place}: flags of {name} are left out: {enumerated(left_out)}")
    sources = tuple(Path(os.path.normpath(folder / each)) for each in written)
    return Extension(name, file, call.line, sources, is_of_setup, folder, flags, tuple(problems))


def _start(written: Iterable[str], folder: Path, workspace: Path) -> Path:
    """Where relative sources are: in the file's folder, else in the nearest one around it that has them all."""
    relative = [each for each in written if not os.path.isabs(each)]  # noqa: PTH117 - as it is written
    around = (each for each in (folder, *folder.parents) if each.is_relative_to(workspace))
    return next((each for each in around if all((each / name).is_file() for name in relative)), folder)


def _paths(value: Any) -> tuple[tuple[str, ...], list[str]]:
    """Texts and paths of a list, and what of it could not be read."""
    items = value if is_list(value) else [] if value is None else [value]
    known = tuple(str(each) for each in items if isinstance(each, str | Path))
    return known, [_written(each) for each in items if not isinstance(each, str | Path)]


def _flags(given: dict[str, Any], folder: Path, is_of_setup: bool) -> tuple[tuple[str, ...], list[str]]:
    """Those that the device compiler gets, and those that are left out."""
    if is_of_setup:
        own, unread = _words(_device_part(given.get("extra_compile_args")))
        macros, unread_macros = _macros(given.get("define_macros"))
        folders, unread_folders = _paths(given.get("include_dirs"))
    else:
        own, unread = _words(given.get("extra_cuda_cflags"))
        macros, unread_macros = (), list[str]()
        folders, unread_folders = _paths(given.get("extra_include_paths"))
    included = tuple(f"-I{os.path.normpath(folder / each)}" for each in folders)
    words = normalise((*included, *macros, *own))
    refused = [word for word in words if refused_flag((word,)) is not None]
    return tuple(word for word in words if word not in refused), [*unread, *unread_macros, *unread_folders, *refused]


def _device_part(value: Any) -> Any:
    """The device compiler's part of ``extra_compile_args``: a list is for all compilers, a table has one for each."""
    return value.get(_DEVICE_FLAGS) if is_table(value) else value


def _words(value: Any) -> tuple[tuple[str, ...], list[str]]:
    if isinstance(value, str):
        return tuple(shlex.split(value)), []
    return _paths(value)


def _macros(value: Any) -> tuple[tuple[str, ...], list[str]]:
    items = value if is_list(value) else [] if value is None else [value]
    return tuple(_defined(items)), [_written(each) for each in items if not _is_pair(each)]


def _defined(items: Iterable[Any]) -> Iterator[str]:
    for each in items:
        if _is_pair(each):
            name, value = each
            yield f"-D{name}" if value is None else f"-D{name}={value}"


def _is_pair(value: Any) -> bool:
    return is_list(value) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str | int | None)


def _written(value: Any) -> str:
    return value.text if isinstance(value, Unknown) else type(value).__name__


def _key(name: str) -> str:
    """As TOML takes it for the key of a table."""
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else f'"{name}"'
