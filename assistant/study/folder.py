"""A study on disk: frozen nodes, one file each and never changed; the design; answers and verdicts, a line each as they come.

A killed study loses at most the answers that were on their way. Example::

    folder = StudyFolder(Path("kernelopt-study"))
    folder.add_nodes(nodes)
    folder.add_answer(answer)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from assistant.disk.lines import append_line, whole_lines
from assistant.disk.whole import write_whole
from assistant.errors import CannotAnswerError, UsageError
from assistant.serialize import DecodeError, dumps, loads
from assistant.study.arms import StudyDesign
from assistant.study.frozen_node import FrozenNode
from assistant.study.outcomes import Answer, Verdict

__all__ = ["StudyFolder"]

T = TypeVar("T", bound=object)
_NODES, _DESIGN, _ANSWERS, _VERDICTS = "nodes", "design.json", "answers.jsonl", "verdicts.jsonl"


class StudyFolder:
    """Reads and writes the files of one study."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def nodes(self) -> tuple[FrozenNode, ...]:
        """Every frozen node, by generation; raises UsageError where there is none, CannotAnswerError for one that was changed."""
        found = [self._node(file) for file in sorted((self.path / _NODES).glob("N*.json"))]
        if not found:
            raise UsageError(f"{self.path} holds no frozen nodes", "kernelopt study freeze RUN… freezes those of recorded searches")
        return tuple(sorted(found, key=lambda node: (str(node.path), node.kernel, node.job, node.generation, node.id)))

    def add_nodes(self, nodes: Iterable[FrozenNode]) -> int:
        """Keep them; how many are new."""
        folder, added = self.path / _NODES, 0
        for node in nodes:
            path = folder / f"{node.id}.json"
            if not path.exists():
                _written(path, dumps(node) + "\n")
                added += 1
        return added

    def design(self) -> StudyDesign | None:
        """None where nothing was asked yet."""
        try:
            text = (self.path / _DESIGN).read_text("utf-8")
        except FileNotFoundError:
            return None
        return _read(StudyDesign, text, self.path / _DESIGN)

    def begin(self, design: StudyDesign) -> None:
        """Keep the design, or go on with it; raises UsageError where the folder's study asks something else."""
        known = self.design()
        if known is None:
            _written(self.path / _DESIGN, dumps(design) + "\n")
        elif known != design:
            names = [name for name in design.__dataclass_fields__ if getattr(known, name) != getattr(design, name)]
            differing = ", ".join(name.replace("_", " ") for name in names)
            raise UsageError(
                f"the study in {self.path} was begun with other options: {differing}", "give the same, or freeze into another folder"
            )

    def answers(self) -> tuple[Answer, ...]:
        return self._lines(Answer, _ANSWERS)

    def verdicts(self) -> tuple[Verdict, ...]:
        return self._lines(Verdict, _VERDICTS)

    def add_answer(self, answer: Answer) -> None:
        """Keep it; it outlasts the process."""
        self._append(_ANSWERS, dumps(answer))

    def add_verdict(self, verdict: Verdict) -> None:
        self._append(_VERDICTS, dumps(verdict))

    def write(self, name: str, text: str) -> None:
        """A page of results."""
        _written(self.path / name, text)

    def _node(self, path: Path) -> FrozenNode:
        node = _read(FrozenNode, path.read_text("utf-8"), path)
        if node.id != path.stem:
            raise CannotAnswerError(f"{path} was changed since it was frozen", "remove it, and freeze its run again")
        return node

    def _lines(self, kind: type[T], name: str) -> tuple[T, ...]:
        return tuple(_read(kind, line, self.path / name) for line in whole_lines(self.path / name))

    def _append(self, name: str, line: str) -> None:
        path = self.path / name
        try:
            append_line(path, line)
        except OSError as error:
            raise _unwritable(path, error) from error


def _written(path: Path, text: str) -> None:
    """Whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text, is_lasting=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> CannotAnswerError:
    return CannotAnswerError(f"{path} cannot be written: {error.strerror}", "free space, or name another folder with --study")


def _read(kind: type[T], text: str, path: Path) -> T:
    try:
        return loads(kind, text)
    except DecodeError as error:
        raise CannotAnswerError(f"{path} cannot be read: {error.message}", "begin anew in another folder with --study") from error
