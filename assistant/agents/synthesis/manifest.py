"""What a folder of drawn tasks has so far: a line for each task and for each that the judge refused; an interrupted making goes on here.

Example::

    manifest = Manifest(folder, seed=7, target="h200")
    manifest.count(Kind.KERNEL), "kernel_0003_map_square" in manifest
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from assistant.agents.synthesis.drawn import Kind
from assistant.disk.lines import append_line, whole_lines
from assistant.errors import CannotAnswerError, UsageError

__all__ = ["Manifest"]

_TASKS, _REFUSED = "tasks.jsonl", "refused.jsonl"


class Manifest:
    """Which tasks of a folder are drawn already, and which were left out."""

    def __init__(self, folder: Path, seed: int, target: str) -> None:
        """Raises UsageError for a folder of something else, or of another seed or target."""
        self._folder = folder
        tasks, refused = self._read(_TASKS), self._read(_REFUSED)
        if not tasks and not refused and _holds_something(folder):
            raise UsageError(f"{folder} is not empty", "name a folder that is not there yet, or one that was begun with the same seed")
        for line in tasks:
            if (line["seed"], line["target"]) != (seed, target):
                message = f"{folder} was begun with --seed {line['seed']} --target {line['target']}"
                raise UsageError(message, "give the same again to go on, or name another folder")
        self._counts = Counter(line["kind"] for line in tasks)
        self._kept = {line["name"] for line in tasks}
        self.refused = {line["name"]: line for line in refused}
        """By name: what the judge refused."""

    def __contains__(self, name: str) -> bool:
        """Whether the task was kept or refused already."""
        return name in self._kept or name in self.refused

    def names(self, kind: Kind) -> set[str]:
        """Of all that were kept or refused."""
        return {name for name in (*self._kept, *self.refused) if name.startswith(f"{kind.value}_")}

    def count(self, kind: Kind) -> int:
        """Tasks that were kept."""
        return self._counts[kind.value]

    def keep(self, line: dict[str, Any]) -> None:
        self._counts[line["kind"]] += 1
        self._kept.add(line["name"])
        self._append(_TASKS, line)

    def refuse(self, line: dict[str, Any]) -> None:
        self.refused[line["name"]] = line
        self._append(_REFUSED, line)

    def _append(self, name: str, line: dict[str, Any]) -> None:
        try:
            append_line(self._folder / name, json.dumps(line, ensure_ascii=False))
        except OSError as error:
            raise CannotAnswerError(f"{self._folder / name} cannot be written: {error.strerror}", "free space and go on") from error

    def _read(self, name: str) -> tuple[dict[str, Any], ...]:
        try:
            return tuple(json.loads(line) for line in whole_lines(self._folder / name))
        except (OSError, ValueError) as error:
            raise CannotAnswerError(f"{self._folder / name} cannot be read: {error}", "name another folder") from error


def _holds_something(folder: Path) -> bool:
    return folder.exists() and (not folder.is_dir() or any(path.is_file() for path in folder.iterdir()))
