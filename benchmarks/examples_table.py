"""What ``kernelopt optimize`` finds in each example, as Markdown: the cited counters, the prediction, the verdict.

Example::

    python -m benchmarks.examples_table            # every example, one after the other
    python -m benchmarks.examples_table transpose  # one
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.table import heading, row

EXAMPLES = Path(__file__).parents[1] / "examples"
_COMMAND = (sys.executable, "-m", "assistant", "optimize", "--json", "--allow-host-code", "--accept", "none")
_Event = dict[str, Any]
"""One line of ``--json``; the schema is the reference of its keys."""


def report(names: tuple[str, ...]) -> str:
    """A Markdown table with one line per proposal; an example without one has a line that says so."""
    lines = [heading("example", "kernel", "edit", "cited counter, before → after", "predicted", "verdict")]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            lines.extend(_rows(name, Path(folder)))
    return "\n".join(lines)


def _rows(name: str, folder: Path) -> Iterator[str]:
    events = _optimize(name, folder / name, folder / "home")
    proposals = [event for event in events if event["event"] == "proposal"]
    for proposal in proposals:
        kernel = proposal["kernel"].partition("(")[0]
        changes = "; ".join(_change(events, kernel, technique) for technique in proposal["techniques"])
        speed = proposal["speed"]
        yield row(
            name,
            kernel,
            " + ".join(proposal["techniques"]),
            changes,
            f"{speed['outcome']} {speed['ratio']:.2f}x",
            proposal["verification"]["outcome"],
        )
    if not proposals:
        yield row(name, "", "", "", "", events[-1]["reason"] if events else "ended without an event")


def _optimize(name: str, folder: Path, home: Path) -> list[_Event]:
    """The events of one run on a copy of the example; ``home`` is not the user's, and saves building the emulator's prelude again."""
    (folder / ".git").mkdir(parents=True)
    source = shutil.copy(EXAMPLES / f"{name}.cu", folder)
    environment = os.environ | {"KERNELOPT_HOME": str(home)}
    ended = subprocess.run([*_COMMAND, source], check=False, capture_output=True, env=environment, text=True)
    return [json.loads(line) for line in ended.stdout.splitlines()]


def _change(events: list[_Event], kernel: str, technique: str) -> str:
    """What the kept edit did to the counter that its finding cites: of the last round that kept it, the variant that gains most."""
    rounds: list[list[_Event]] = []
    for event in events:
        if event["event"] == "plan":
            rounds.append([])
        elif event["event"] == "candidate" and (event["kernel"], event["technique"], event["outcome"]) == (kernel, technique, "kept"):
            rounds[-1].append(event)
    kept = next(found for found in reversed(rounds) if found)
    return max(kept, key=lambda event: event["ratio"])["reason"]


def main() -> None:
    chosen = tuple(sys.argv[1:]) or tuple(sorted(path.stem for path in EXAMPLES.glob("*.cu")))
    print(report(chosen))


if __name__ == "__main__":
    main()
