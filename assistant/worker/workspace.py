"""A private copy of the folder a program runs in, so that what a candidate writes or deletes there is not the user's.

The copy stands below copies of its parent folders that link to their other entries: ``../data/input.bin`` is found where the program
expects it. Links lead to the user's files, which a confined program may read and not write. The copy is kept from run to run: what a
program changed is removed after it, and the next run makes only what is missing or has changed in the user's folder. What a build left in
the copy can be kept for further runs of the same texts, where nothing that runs in the copy can write.

Example::

    workspace = Workspace(scratch / "files")
    with workspace.copy_of(Path("/home/u/project"), key) as copy:
        copy.path  # scratch/files/home/u/project
        if not copy.is_built:
            build(copy.path)
            workspace.keep(key)
"""

from __future__ import annotations

import os
import shutil
import time
from collections import deque
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from assistant.disk.removal import remove_tree
from assistant.record import Record

__all__ = ["COPIED_ENTRIES", "FolderTooLarge", "PrivateCopy", "RunFolder", "Workspace"]

COPIED_BYTES = 64 << 20
COPIED_ENTRIES = 2_000
"""Entries of a folder that is copied for every run of a candidate."""
_LINKED_NEIGHBOURS = 2_000
"""Entries of parent folders, all together: beyond them ``..`` shows an incomplete folder."""
_ONLY_LINKED = frozenset({".git", ".hg", ".svn", ".kernelopt", ".venv", "venv", "node_modules", "__pycache__"})
"""Folders of tools: large, and nothing a CUDA program writes to."""
_CLOCK_STEP_S = 0.01
"""Longest step of the clock that stamps files: one timer tick of a kernel with 100 a second (time(7), CONFIG_HZ)."""
_KEPT_BUILDS = 4
_KEPT_S = 600.0
"""Chosen: a comparison's runs, and no later one of a person who has changed something outside the folder that no text names."""
_KEPT_BYTES = 256 << 20
_KEPT_ENTRIES = 10_000
"""The largest build that is kept; a larger one is made anew for every run (chosen: a PyTorch extension leaves some 10 MB in 10 files)."""


class PrivateCopy(Record):
    path: Path
    """Where the program is to run."""
    notes: tuple[str, ...]
    """What is not as in the original folder."""
    is_built: bool = False
    """It is as a build left it (`Workspace.keep`), not as the original folder."""


class FolderTooLarge(Record):
    """Nothing was copied: the program runs in the original folder, which it can read only."""

    note: str


class RunFolder(Record):
    """Where a program that may be anything runs."""

    path: Path
    writable: tuple[Path, ...]
    """Folders that it may write below, beside its own ones."""
    notes: tuple[str, ...]
    """What is not as it would be in the original folder."""
    is_built: bool = False
    """As of a `PrivateCopy`."""


class _Stamp(Record):
    """Differs after every change of a file: no program can set the time of a change."""

    inode: int
    changed_ns: int
    size_bytes: int


class _Folder(Record):
    pass


class _Link(Record):
    target: str


class _File(Record):
    source: str
    stamp: _Stamp
    """Stamp of the source."""


_Plan = Mapping[str, _Folder | _Link | _File]
"""By path below the root; folders before what they hold."""


class _MadeEntry(Record):
    entry: _Folder | _Link | _File
    stamp: _Stamp
    """Stamp of what was made."""


class _KeptBuild(Record):
    own: _Plan
    """Of the folder that was built, as it was."""
    built: _Plan
    """Of the copy after the build; files that the build made lie in ``folder``."""
    folder: Path
    end_s: float
    """On the monotonic clock: for so long it is used."""

    def is_of(self, own: _Plan) -> bool:
        return self.own == own and time.monotonic() < self.end_s


class Workspace:
    """One private copy below ``root``, of the folder asked for last."""

    def __init__(self, root: Path, most_entries: int = COPIED_ENTRIES, most_bytes: int = COPIED_BYTES) -> None:
        """A folder with more entries is not copied; files beyond so many bytes are links, to be read only."""
        self._root = root
        self._most_entries = most_entries
        self._most_bytes = most_bytes
        self._made: dict[str, _MadeEntry] = {}
        self._own: _Plan = {}
        self._kept: dict[str, _KeptBuild] = {}
        self._kept_count = 0

    @property
    def root(self) -> Path:
        """The program may write everywhere below it. It exists while a folder of ``copy_of`` is in use."""
        return self._root

    @contextmanager
    def copy_of(self, folder: Path, build_key: str | None = None) -> Generator[PrivateCopy | FolderTooLarge]:
        """A copy that is as ``folder`` is now, or as what was kept for ``build_key`` left it, where the folder is as it was then.

        Raises OSError (no space, or files vanish meanwhile).
        """
        self._root.mkdir(exist_ok=True)
        entries = _entries(folder, self._root, self._most_entries)
        if entries is None:
            held = f"it holds more than {self._most_entries} entries"
            yield FolderTooLarge(f"a private copy of {folder}: {held}, so candidates ran in it and could only read it")
            return
        plan: dict[str, _Folder | _Link | _File] = {}
        linked = _plan_copy(plan, entries, folder, self._root, self._most_bytes)
        own = dict(plan)
        kept = self._kept.get(build_key or "")
        is_built = kept is not None and kept.is_of(own)
        if kept is not None and is_built:
            plan = dict(kept.built)
        self._own = own
        _plan_neighbours(plan, folder)
        self._make(plan)
        try:
            yield PrivateCopy(self._root / _below(folder), _notes(folder, linked, self._most_bytes), is_built)
        finally:
            self._remove_changes()

    @contextmanager
    def folder_to_run_in(self, folder: Path, build_key: str | None = None) -> Generator[RunFolder]:
        """A private copy; ``folder`` itself, to be read only, where it is too large for one. Raises OSError, as ``copy_of``."""
        with self.copy_of(folder, build_key) as copy:
            if isinstance(copy, FolderTooLarge):
                yield RunFolder(folder, (), (copy.note,))
            else:
                yield RunFolder(copy.path, (self._root,), copy.notes, copy.is_built)

    def keep(self, build_key: str) -> None:
        """Keep the copy in use as it is now, for the next ones with this key. What is too large is not kept. Raises OSError (no space)."""
        self._kept_count += 1
        folder = self._root.with_name(f"built-{self._kept_count}")
        folder.mkdir()
        built = self._snapshot(folder)
        if built is None:
            remove_tree(folder)
            return
        if (before := self._kept.pop(build_key, None)) is not None:
            remove_tree(before.folder)
        self._kept[build_key] = _KeptBuild(self._own, built, folder, time.monotonic() + _KEPT_S)
        for key in list(self._kept)[:-_KEPT_BUILDS]:
            remove_tree(self._kept.pop(key).folder)

    def _snapshot(self, folder: Path) -> _Plan | None:
        """What stands in the copy, folders first, without neighbours; files that are not as they were made are copied. None: too much."""
        plan: dict[str, _Folder | _Link | _File] = {}
        left_bytes = _KEPT_BYTES
        for name, entry in self._standing():
            made = self._made.get(name)
            if made is not None and _stands(entry, made):
                if name in self._own:
                    plan[name] = made.entry
            elif entry.is_symlink():
                plan[name] = _Link(str(Path(entry.path).readlink()))
            elif entry.is_dir():
                plan[name] = _Folder()
            elif entry.is_file():
                left_bytes -= entry.stat().st_size
                if left_bytes < 0 or len(plan) > _KEPT_ENTRIES:
                    return None
                copied = folder / str(len(plan))
                shutil.copy2(entry.path, copied)
                plan[name] = _File(str(copied), _stamp(copied.stat()))
        return plan

    def _standing(self) -> Generator[tuple[str, os.DirEntry[str]]]:
        """Everything in the copy, folders before what they hold."""
        waiting = deque([""])
        while waiting:
            for name, entry in self._listed(waiting.popleft()):
                yield name, entry
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")

    def _listed(self, place: str) -> list[tuple[str, os.DirEntry[str]]]:
        """What lies in a folder of the copy (``""`` or a path that ends with a slash), by its path below the root."""
        with os.scandir(self._root / place) as listing:
            return [(f"{place}{entry.name}", entry) for entry in listing]

    def _make(self, plan: _Plan) -> None:
        try:
            self._follow(plan)
        except OSError:  # a program may leave folders that cannot be changed where the filter of system calls is missing
            self._discard()
            self._follow(plan)

    def _follow(self, plan: _Plan) -> None:
        for name, made in reversed(list(self._made.items())):
            if plan.get(name) != made.entry:
                _remove(self._root / name, made.entry)
                del self._made[name]
        self._root.mkdir(exist_ok=True)
        missing = {name: entry for name, entry in plan.items() if name not in self._made}
        for name, entry in missing.items():
            self._made[name] = _MadeEntry(entry, _create(self._root / name, entry))
        if missing:
            time.sleep(_CLOCK_STEP_S)  # so that a program's first change is stamped later than the making

    def _remove_changes(self) -> None:
        try:
            self._made = dict(self._unchanged())
        except OSError:
            self._discard()

    def _unchanged(self) -> Generator[tuple[str, _MadeEntry]]:
        """What stands as it was made, folders first; all else is removed on the way."""
        waiting = deque([""])
        while waiting:
            for name, entry in self._listed(waiting.popleft()):
                made = self._made.get(name)
                if made is not None and _stands(entry, made):
                    yield name, made
                    if isinstance(made.entry, _Folder):
                        waiting.append(f"{name}/")
                elif entry.is_dir(follow_symlinks=False):
                    remove_tree(Path(entry.path))
                else:
                    os.unlink(entry.path)  # noqa: PTH108 - what the listing gave

    def _discard(self) -> None:
        with suppress(OSError):
            remove_tree(self._root)
        self._made = {}
        if self._root.exists():
            self._root = self._root.with_name(f"{self._root.name}+")


def _entries(folder: Path, root: Path, most_entries: int) -> list[os.DirEntry[str]] | None:
    """Everything to copy, folders before what they hold. None: too many."""
    found: list[os.DirEntry[str]] = []
    waiting = deque([str(folder)])
    while waiting:
        with os.scandir(waiting.popleft()) as listing:
            for entry in listing:
                found.append(entry)
                if len(found) > most_entries:
                    return None
                if _is_copied_folder(entry, root):
                    waiting.append(entry.path)
    return found


def _plan_copy(
    plan: dict[str, _Folder | _Link | _File], entries: list[os.DirEntry[str]], folder: Path, root: Path, left_bytes: int
) -> list[str]:
    """Adds the folder; names of the files that are only linked because they do not fit."""
    for parent in (*reversed(folder.parents), folder):
        if parent != Path(folder.anchor):
            plan[_below(parent)] = _Folder()
    linked: list[str] = []
    for entry in entries:
        name = _below(entry.path)
        if _is_copied_folder(entry, root):
            plan[name] = _Folder()
        elif not entry.is_file(follow_symlinks=False) or not os.access(entry.path, os.R_OK):
            plan[name] = _Link(_target(entry, folder))
        elif (stamp := _stamp(entry.stat())).size_bytes > left_bytes:
            plan[name] = _Link(entry.path)
            linked.append(os.path.relpath(entry.path, folder))
        else:
            left_bytes -= stamp.size_bytes
            plan[name] = _File(entry.path, stamp)
    return linked


def _target(entry: os.DirEntry[str], folder: Path) -> str:
    """Where the copy's link leads: a link within the folder stays one within the copy, so that what is behind it can be written."""
    real = os.path.realpath(entry.path)
    written = Path(entry.path).readlink() if entry.is_symlink() else Path(real)
    is_within = Path(real).is_relative_to(os.path.realpath(folder)) and not written.is_absolute()
    return str(written) if is_within else real


def _plan_neighbours(plan: dict[str, _Folder | _Link | _File], folder: Path) -> None:
    left = _LINKED_NEIGHBOURS
    for parent in folder.parents:
        if not os.access(parent, os.R_OK):
            continue
        with os.scandir(parent) as listing:
            missing = [entry.path for entry in listing if _below(entry.path) not in plan][:left]
        plan.update((_below(path), _Link(path)) for path in missing)
        left -= len(missing)


def _is_copied_folder(entry: os.DirEntry[str], root: Path) -> bool:
    """Not a folder that holds the copy itself, nor one that cannot be listed."""
    if not entry.is_dir(follow_symlinks=False) or entry.name in _ONLY_LINKED or root.is_relative_to(entry.path):
        return False
    return os.access(entry.path, os.R_OK | os.X_OK)


def _below(path: Path | str) -> str:
    """An absolute path as one below a root."""
    return str(path).lstrip("/")


def _create(place: Path, entry: _Folder | _Link | _File) -> _Stamp:
    match entry:
        case _Folder():
            place.mkdir()
        case _Link(target):
            place.symlink_to(target)
        case _File(source):
            shutil.copy2(source, place)
    return _stamp(place.lstat())


def _remove(place: Path, entry: _Folder | _Link | _File) -> None:
    if isinstance(entry, _Folder):
        place.rmdir()
    else:
        place.unlink()


def _stands(entry: os.DirEntry[str], made: _MadeEntry) -> bool:
    status = entry.stat(follow_symlinks=False)
    if isinstance(made.entry, _Folder):
        return entry.is_dir(follow_symlinks=False) and status.st_ino == made.stamp.inode
    return _stamp(status) == made.stamp


def _stamp(status: os.stat_result) -> _Stamp:
    return _Stamp(status.st_ino, status.st_ctime_ns, status.st_size)


def _notes(folder: Path, linked: list[str], most_bytes: int) -> tuple[str, ...]:
    if not linked:
        return ()
    named = linked[0] if len(linked) == 1 else f"{linked[0]} and {len(linked) - 1} more files"
    return (f"writes to {named}: a private copy of {folder} holds {most_bytes >> 20} MiB, candidates could only read what is beyond",)
