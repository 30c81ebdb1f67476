"""Which file of a folder of candidates answers which task.

By the task's name (``3_Softmax.py`` or ``.cu``, in a folder of its level or beside all others), or by the name that KernelBench gives to a
generated one: ``level_1_problem_3_sample_0_kernel.py``. Example::

    read_answers(Path("/answers"), problems).of(problem)     # (PosixPath('/answers/level1/3_Softmax.py'),)
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assistant.bench.operators.folder import Problem, level_of
from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["Answers", "Trial", "read_answers", "trials_of"]

_GENERATED = re.compile(r"level_(\d+)_problem_(\d+)_sample_(\d+)_kernel", re.IGNORECASE)
_ENDINGS = frozenset({".py", ".cu"})


class Answers(Record):
    """The candidates of a folder."""

    of_title: tuple[tuple[str, tuple[Path, ...]], ...]
    """Files that answer a task, by its title: more than one where it cannot be told which is meant."""
    unmatched: tuple[Path, ...]
    """Those that answer no task of the suite."""

    def of(self, problem: Problem) -> tuple[Path, ...]:
        return dict(self.of_title).get(problem.title, ())


class Trial(Record):
    """A task with what is to be judged in it."""

    problem: Problem
    answers: tuple[Path, ...]
    """None: rules write a first kernel."""
    sources_sha256: str
    """Hash over the task's text and its answers'."""

    @property
    def title(self) -> str:
        return self.problem.title


def read_answers(folder: Path, problems: Sequence[Problem]) -> Answers:
    """Of several samples of a task the one with the least number. Raises UsageError for what is no folder."""
    if not folder.is_dir():
        raise UsageError(f"--answers {folder} is not a folder", "name a folder of candidates, called as their tasks are")
    files = [path for path in _files(folder) if path.suffix in _ENDINGS]
    stems = Counter(problem.file.stem for problem in problems)
    found = {problem.title: _answers(problem, files, folder, is_alone=stems[problem.file.stem] == 1) for problem in problems}
    taken = {path for paths in found.values() for path in paths}
    samples = {path for path in files if any(_sample(path, problem) is not None for problem in problems)}
    return Answers(tuple(found.items()), tuple(path for path in files if path not in taken | samples))


def trials_of(folder: Path, problems: Sequence[Problem], answers: Answers | None) -> tuple[Trial, ...]:
    """Each task with its answers, in the order of the tasks. Raises UsageError for a file that cannot be read."""
    given = [(problem, () if answers is None else answers.of(problem)) for problem in problems]
    return tuple(Trial(problem, files, _sha256([folder / problem.file, *files])) for problem, files in given)


def _files(folder: Path) -> list[Path]:
    """Those in it and in folders of levels."""
    places = [folder, *(path for path in folder.iterdir() if path.is_dir() and level_of(path.name) is not None)]
    return sorted(path for place in places for path in place.iterdir() if path.is_file() and not path.name.startswith("."))


def _answers(problem: Problem, files: Sequence[Path], folder: Path, *, is_alone: bool) -> tuple[Path, ...]:
    """In the folder of its level, else beside all others where no other task has its name, else by KernelBench's name."""
    called = [path for path in files if path.stem == problem.file.stem]
    in_level = [path for path in called if path.parent != folder and level_of(path.parent.name) == problem.level]
    beside = [path for path in called if path.parent == folder and is_alone]
    generated = sorted((sample, path) for path in files if (sample := _sample(path, problem)) is not None)
    first = [path for sample, path in generated if sample == generated[0][0]]
    return tuple(in_level or beside or first)


def _sample(path: Path, problem: Problem) -> int | None:
    """The number of the sample where the file is one of that task."""
    found = _GENERATED.fullmatch(path.stem)
    if found is None or problem.number is None or (int(found[1]), int(found[2])) != (problem.level, problem.number):
        return None
    return int(found[3])


def _sha256(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0".encode("utf-8", "surrogateescape"))
        try:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}", "make it readable, or leave it out") from error
    return digest.hexdigest()
