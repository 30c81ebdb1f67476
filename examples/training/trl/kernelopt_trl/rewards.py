"""The reward of an answer: that of kernelopt's judge for the edited program. Each edit is judged once and kept in a file.

An answer that is not of the action language is wrong without being judged. Example::

    rewards = Rewards(Path("judged.jsonl"), Judge(("kernelopt",), OPTIONS))
    rewards.of([(TASKS["window-3-affine"], "window-tile 3 stop"), (TASKS["window-3-affine"], "tile it")])     # [1.0, -1.0]
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from kernelopt_trl.judge import Folder, Judge
from kernelopt_trl.language import edited, parsed
from kernelopt_trl.toy import ToyTask, program

__all__ = ["MALFORMED", "OPTIONS", "NotJudgedError", "Rewards", "shuffled"]

MALFORMED = -1.0
"""Of an answer that is not of the language: as much as of a wrong edit."""
OPTIONS = ("--device", "cpu")
"""Of ``kernelopt task new``: the emulator judges, on every machine alike."""
_UNLIMITED_CALLS = 1_000_000
_UNLIMITED_S = 1e9

Pair = tuple[ToyTask, str]
"""A task and the text of its edited program."""


class NotJudgedError(Exception):
    """An edit is not among those that are kept, and there is no judge to ask."""


class Rewards:
    """Several processes may keep theirs in the same file; what two of them judge at once is judged twice."""

    def __init__(self, kept: Path, judge: Judge | None = None, options: Sequence[str] = OPTIONS, jobs: int = 1) -> None:
        """``options``: what the judge was made with; rewards of other options are not used."""
        self._file = kept
        self._judge = judge
        self._options = " ".join(options)
        self._jobs = jobs
        self._rows: dict[str, dict[str, Any]] = {}
        self._folders: dict[str, Folder] = {}
        self._root: Path | None = None
        """Of the tasks' folders; gone with the process."""
        self._read()

    def of(self, answers: Iterable[tuple[ToyTask, str]]) -> list[float | None]:
        """None where the judge or the machine could not answer: that is no sample, and is judged anew the next time."""
        edits = [(task, parsed(answer)) for task, answer in answers]
        pairs = [None if edit is None else (task, program(task, edited(task.kernel, edit))) for task, edit in edits]
        rows = self.rows([pair for pair in pairs if pair is not None])
        return [MALFORMED if pair is None else rows[self._key(pair)]["reward"] for pair in pairs]

    def rows(self, pairs: Iterable[Pair]) -> dict[str, dict[str, Any]]:
        """What is known of each edit, by its key; those that have no reward yet are judged."""
        wanted = {self._key(pair): pair for pair in pairs}
        if any(key not in self._rows for key in wanted):
            self._read()
        judged = self.judged([pair for key, pair in wanted.items() if key not in self._rows], self._keep)
        return {row["key"]: row for row in judged} | {key: self._rows[key] for key in wanted if key in self._rows}

    def judged(self, pairs: Sequence[Pair], on_row: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
        """Judges each, whatever is kept of it; ``on_row`` has each as soon as it is there."""
        if not pairs:
            return []
        if self._judge is None:
            raise NotJudgedError(
                f"{len(pairs)} edits are not in {self._file}, the first of {pairs[0][0].name}; name a judge: --judge kernelopt"
            )
        return asyncio.run(self._all_judged(self._judge, pairs, on_row))

    async def _all_judged(self, judge: Judge, pairs: Sequence[Pair], on_row: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
        locks = {task.name: asyncio.Lock() for task, _ in pairs}
        turns = asyncio.Semaphore(self._jobs)

        async def one(pair: Pair) -> dict[str, Any]:
            async with locks[pair[0].name], turns:
                row = self._row(pair, await self._asked(judge, pair))
            on_row(row)
            return row

        return await asyncio.gather(*map(one, pairs))

    async def _asked(self, judge: Judge, pair: Pair) -> dict[str, Any]:
        """By the task's own folder, in which one edit after another is judged."""
        task, text = pair
        if task.name not in self._folders:
            start = self._start_of(task)
            self._folders[task.name] = await judge.task(start, start.with_suffix(""), _UNLIMITED_CALLS, _UNLIMITED_S)
        folder = self._folders[task.name]
        folder.source.write_text(text, "utf-8")
        return await judge.ask(folder, "judge")

    def _start_of(self, task: ToyTask) -> Path:
        if self._root is None:
            self._root = Path(tempfile.mkdtemp(prefix="kernelopt-toy-"))
            weakref.finalize(self, shutil.rmtree, self._root, ignore_errors=True)
        file = self._root / f"{task.name}.cu"
        file.write_text(task.program, "utf-8")
        return file

    def _row(self, pair: Pair, answer: dict[str, Any]) -> dict[str, Any]:
        components = answer.get("components") or {}
        return {
            "key": self._key(pair),
            "task": pair[0].name,
            "reward": answer.get("reward"),
            "answer": answer.get("answer"),
            "reasons": [reason["code"] for reason in components.get("reasons") or ()],
            "predicted_ratio": (components.get("predicted") or {}).get("ratio"),
        }

    def _keep(self, row: dict[str, Any]) -> None:
        if row["reward"] is None:
            return
        self._rows[row["key"]] = row
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _key(self, pair: Pair) -> str:
        task, text = pair
        return hashlib.sha256("\0".join((self._options, task.program, text)).encode()).hexdigest()[:20]

    def _read(self) -> None:
        lines = self._file.read_text("utf-8").splitlines() if self._file.exists() else []
        self._rows |= {row["key"]: row for row in map(json.loads, lines)}


def shuffled(rewards: Sequence[float | None], seed: int, step: int) -> list[float | None]:
    """The same rewards, each for another answer: what nobody can learn from. The same for the same seed and step."""
    return Random(f"shuffled {seed} {step}").sample(list(rewards), len(rewards))  # noqa: S311 - a draw that can be repeated
