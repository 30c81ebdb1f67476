"""Write a user's files on their explicit accept: all of them or none, permissions and links kept.

Several files cannot be renamed at once, so what is to be written is noted first, in the user's own folder. After a crash in between, the
next who writes, or reads to judge, puts the texts from before back. Example::

    replace_texts((Source(a, "1\\n"), Source(b, "1\\n")), (Source(a, "2\\n"), Source(b, "3\\n")), user_paths().writing)
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from assistant.disk.texts import source_text
from assistant.errors import CannotAnswerError
from assistant.model.source import Source
from assistant.program.python_texts import as_on_disk, text_in_python
from assistant.record import Record
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["PutBack", "put_back_half_written", "replace_text", "replace_texts"]

_LOCK_TIMEOUT_S = 5.0
"""Longest wait for another process that writes, which takes milliseconds."""
_REMEDY = "apply the diff that `kernelopt show` prints"


class PutBack(Record):
    """What a process that died while it wrote several files had left, and what became of it."""

    restored: tuple[Path, ...]
    """Files that have the text from before again."""
    kept: tuple[Path, ...]
    """Files that somebody changed since: they were left as they are."""

    @property
    def in_words(self) -> tuple[str, ...]:
        """A sentence for each of the two."""
        restored, kept = (", ".join(map(str, paths)) for paths in (self.restored, self.kept))
        return tuple(
            sentence
            for names, sentence in (
                (restored, f"an accept or undo of several files broke off: {restored} was put back as it was before it"),
                (kept, f"an accept or undo of several files broke off, and {kept} changed since: look at it, it was left as it is"),
            )
            if names
        )


class _StagedFile(Record):
    """A file's new text, written next to it."""

    before: Source
    after: Source
    temporary: Path


class _Note(Record):
    """What is being written; kept until all of it is."""

    files: tuple[_StagedFile, ...]


def replace_texts(before: Sequence[Source], after: Sequence[Source], note: Path) -> None:
    """Replace the contents of files, whose paths are the same on both sides and in the same order: of all or of none.

    ``note``: the file that says what is being written while several are. Each text is written next to its file and renamed over it, so that
    a crash leaves the old or the new text of a file, never a part; a CUDA text of a Python file is written into its string.
    Raises CannotAnswerError, with every file as it was, where a file does not have its text of ``before`` any more, or the file or the
    disk does not allow it.
    """
    before, after = as_on_disk(before, after)
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old.text != new.text]
    is_several = len(pairs) > 1
    with _alone(note) if is_several else contextlib.nullcontext():
        staged: list[_StagedFile] = []
        try:
            for old, new in pairs:
                _check(old)
                staged.append(_StagedFile(old, new, _temporary_copy(new)))
            if is_several:
                note.write_text(dumps(_Note(tuple(staged))), "utf-8")
                _sync((note, note.parent))
            for item in staged:
                _rename(item)
            if is_several:
                _sync({item.after.path.resolve().parent for item in staged})
                note.unlink()
        except BaseException:
            for item in staged:
                with contextlib.suppress(OSError):
                    item.temporary.unlink()
            if is_several:
                _put_back(note)
            raise


def replace_text(path: Path, text: str) -> None:
    """Replace the contents of one file, whatever they are. Raises CannotAnswerError where the file or the disk does not allow it."""
    held = text_in_python(path)
    source = Source(path, text) if held is None else as_on_disk((Source(path, held),), (Source(path, text),))[1][0]
    _check_writable(source.path)
    _rename(_StagedFile(source, source, _temporary_copy(source)))


def put_back_half_written(note: Path) -> PutBack | None:
    """Finish what a process that died while it wrote several files left half done: none of it is written then. None: nothing was.

    Raises CannotAnswerError where another process is writing for long, or a file cannot be written.
    """
    if not note.exists():
        return None
    with _alone(note) as put_back:
        return put_back


@contextlib.contextmanager
def _alone(note: Path) -> Generator[PutBack | None]:
    """No other process writes several files meanwhile, and none has left a half: what became of one."""
    note.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(f"{note}.lock", timeout=_LOCK_TIMEOUT_S)
        lock.acquire()
    except Timeout as error:
        raise CannotAnswerError("another kernelopt is writing files just now", "try again") from error
    try:
        yield _put_back(note)
    finally:
        lock.release()


def _put_back(note: Path) -> PutBack | None:
    try:
        noted = loads(_Note, note.read_bytes())
    except FileNotFoundError:
        return None
    except DecodeError:  # it died while it wrote the note: no file was touched yet
        note.unlink()
        return None
    restored, kept = list[Path](), list[Path]()
    for item in noted.files:
        with contextlib.suppress(OSError):
            item.temporary.unlink()
        match source_text(item.before.path):
            case text if text == item.before.text:
                pass
            case text if text == item.after.text:
                _rename(_StagedFile(item.after, item.before, _temporary_copy(item.before)))
                restored.append(item.before.path)
            case _:
                kept.append(item.before.path)
    note.unlink()
    return PutBack(tuple(restored), tuple(kept)) if restored or kept else None


def _check(source: Source) -> None:
    """Raises CannotAnswerError for a file that is read-only, or has another text."""
    _check_writable(source.path)
    if source_text(source.path) != source.text:
        raise CannotAnswerError(f"{source.path} changed just now, and nothing was written", "try again")


def _check_writable(path: Path) -> None:
    if not os.access(path.resolve(), os.W_OK):
        raise CannotAnswerError(f"{path} is read-only", f"make it writable, or {_REMEDY}")


def _temporary_copy(source: Source) -> Path:
    """The text in a file next to the one it is for, with the same permissions."""
    target = source.path.resolve()
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(source.text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode & 0o7777)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        raise _not_changed(source.path, error) from error
    return temporary


def _rename(staged: _StagedFile) -> None:
    """The new text over its file."""
    try:
        staged.temporary.replace(staged.after.path.resolve())
    except OSError as error:
        with contextlib.suppress(OSError):
            staged.temporary.unlink()
        raise _not_changed(staged.after.path, error) from error


def _sync(paths: Iterable[Path]) -> None:
    """What was written there is on the disk, in this order: a note that outlives its files' texts, or comes after them, is of no use."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _not_changed(path: Path, error: OSError) -> CannotAnswerError:
    reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else str(error.strerror)
    return CannotAnswerError(f"{path} was not changed: {reason}", _REMEDY)
