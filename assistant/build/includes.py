"""The user headers that a source includes, by its ``#include`` lines (conditionals ignored: too many is safe for a key).

Example::

    include_closure("/p/k.cu", '#include "a.h"', ("/p/include",), read=lambda path: texts.get(path))
    with_headers((("/p/k.cu", text),), ("-O3", "-I/p/include"))      # sources and headers, the latter from the disk
"""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from assistant.disk.texts import UnfitFileError, read_bytes

__all__ = ["headers_of", "include_closure", "installed_headers", "unfit_header", "with_headers"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
_SYSTEM = "-isystem"
_MOST_BYTES = 16 << 20
"""Largest header that is read; a larger one is left to the compiler."""


def include_closure(path: str, text: str, directories: tuple[str, ...], read: Callable[[str], str | None]) -> dict[str, str]:
    """Path → text of each header reachable from ``text`` through quotes or ``directories``; the source itself is left out."""
    found: dict[str, str] = {}
    pending = [(path, text)]
    while pending:
        includer, content = pending.pop()
        for match in _INCLUDE.finditer(content):
            bases = (posixpath.dirname(includer), *directories) if match[2] else directories
            for base in bases:
                candidate = posixpath.normpath(posixpath.join(base, match[1] or match[2]))
                if candidate in found:
                    break
                header = read(candidate)
                if header is not None:
                    found[candidate] = header
                    pending.append((candidate, header))
                    break
    return found


def with_headers(
    sources: Iterable[tuple[str, str]], arguments: Iterable[str], given: Callable[[str], str | None] = lambda _: None
) -> dict[str, str]:
    """Path → text of the sources and of every header that they include, next to them or through ``-I``; read from the disk now.

    ``given``: texts that stand for what the disk holds, or does not hold.
    """
    return _with_headers(sources, arguments, [], given)


def headers_of(path: str, texts: Mapping[str, str], arguments: Iterable[str]) -> dict[str, str]:
    """Path → text of every header that the source ``path`` includes; ``texts`` stand for what the disk holds."""
    directories = tuple(argument[2:] for argument in arguments if argument.startswith("-I"))
    return include_closure(path, texts[path], directories, lambda named: texts.get(named) or _read(named, []))


def installed_headers(arguments: Iterable[str]) -> str:
    """A digest that changes where a header changes in a folder of ``-isystem``: of names, sizes and times, as there are thousands.

    Empty where flags name no such folder.
    """
    digest = hashlib.sha256()
    folders = [argument.removeprefix(_SYSTEM).lstrip("=") for argument in arguments if argument.startswith(_SYSTEM)]
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner.sort()
            for name in sorted(names):
                path = os.path.join(place, name)  # noqa: PTH118 - for thousands of files
                with suppress(OSError):
                    facts = os.stat(path)  # noqa: PTH116
                    digest.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest() if folders else ""


def unfit_header(sources: Iterable[tuple[str, str]], arguments: Iterable[str]) -> str | None:
    """What to say of a name among the includes that stands for no file, so that compilers would wait for it; None where there is none."""
    unfit: list[str] = []
    _with_headers(sources, arguments, unfit)
    return unfit[0] if unfit else None


def _with_headers(
    sources: Iterable[tuple[str, str]], arguments: Iterable[str], unfit: list[str], given: Callable[[str], str | None] = lambda _: None
) -> dict[str, str]:
    texts = dict(sources)
    directories = tuple(argument[2:] for argument in arguments if argument.startswith("-I"))
    for path, text in tuple(texts.items()):
        texts.update(include_closure(path, text, directories, lambda named: texts.get(named) or given(named) or _read(named, unfit)))
    return texts


def _read(path: str, unfit: list[str]) -> str | None:
    try:
        return read_bytes(Path(path), _MOST_BYTES).decode("utf-8", "surrogateescape")
    except UnfitFileError as error:
        if error.errno == errno.EINVAL and not Path(path).is_dir():
            unfit.append(f"{path} cannot be included: {error.strerror}")
        return None
    except (OSError, ValueError):
        return None
