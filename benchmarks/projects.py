"""Ten projects of several files: how each is found, what looking at it takes, and an edit of it proved, accepted and taken back.

    python -m benchmarks.projects [--device gpu:0] [--jobs N] [--only NAME …] [--out FILE]

The edit is given by a scripted model (`tests/e2e/cli/edits_of_programs.py`). On a GPU it is accepted where it is measured to be faster,
and the verdict is shown where it is not. Exit status 1: a command failed, or the files were not as before at the end.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.table import heading, row
from tests.caches import shared_cache
from tests.e2e.cli.edits_of_programs import EDITS, TEN, Edit
from tests.e2e.cli.harness import Cli, Ended
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, plan, step

_STEPS = ("inspect", "check", "profile", "optimize", "undo")
_COLUMNS = ("project", "found", "kernels", "verdict", "accepted", "as before", *(f"{step}, s" for step in _STEPS))


@dataclass
class _Run:
    """One project on its way."""

    cli: Cli
    edit: Edit
    device: str
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def asked(self, step: str, *words: str, codes: Sequence[int] = (0,), deadline_s: float = LONG_S) -> Ended:
        """One command; raises RuntimeError where it ends with another status."""
        started = time.monotonic()
        ended = self.cli.run(step, *words, deadline_s=deadline_s)
        self.seconds[step] = time.monotonic() - started
        if ended.code not in codes:
            raise RuntimeError(f"{step} ended with status {ended.code}: {ended.said[-1500:]}")
        return ended

    @property
    def options(self) -> tuple[str, ...]:
        kernel = ("--kernel", self.edit.selector) if self.edit.selector else ()
        return ("--device", self.device, "--json", *kernel)


def main() -> int:
    options = _options()
    names: Sequence[str] = options.only or TEN
    device: str = options.device
    lines, all_right = [heading(*_COLUMNS)], True
    print(lines[0], flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        for cells, is_right in pool.map(lambda name: _row(name, device), names):
            lines.append(row(*cells))
            print(lines[-1], flush=True)
            all_right = all_right and is_right
            if options.out is not None:
                options.out.write_text("\n".join(lines) + "\n")
    return 0 if all_right else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.projects")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=sorted(EDITS))
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _row(name: str, device: str) -> tuple[tuple[str, ...], bool]:
    """The project's cells, and whether all went as it should."""
    edit = EDITS[name]
    with tempfile.TemporaryDirectory(prefix="kernelopt-projects-") as place:
        folder = Path(place) / name
        edit.copy_to(folder)
        run = _Run(_cli(Path(place), folder), edit, device)
        try:
            cells, is_right = _taken_through(run)
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            cells, is_right = ("", "", f"failed: {str(error).partition(':')[0]}", "", ""), False
        times = (f"{run.seconds[step]:.1f}" if step in run.seconds else "" for step in _STEPS)
        return (name, *cells, *times), is_right


def _cli(place: Path, folder: Path) -> Cli:
    for own in ("home", "tmp"):
        (place / own).mkdir()
    (place / "home" / "cache").symlink_to(shared_cache())
    return replace(Cli(folder, place / "home", place / "tmp"), is_loaded=False)


def _taken_through(run: _Run) -> tuple[tuple[str, ...], bool]:
    edit, cli = run.edit, run.cli
    for command in edit.setup:
        run.asked(*command)
    before = _files(cli.folder)
    arguments = ("--", *edit.arguments)
    inspected = run.asked("inspect", edit.asked, "--json")
    run.asked("check", edit.asked, *run.options, *arguments)
    run.asked("profile", edit.asked, *run.options, *arguments)
    model = ScriptedModel([plan(step(edit.technique, edit.line(cli.folder))), plan()], [edit.answer(cli.folder)])
    accept = "best-predicted" if run.device == "cpu" else "best"
    with asked_by(cli, model, search=ONE_VARIANT):
        ended = run.asked("optimize", edit.asked, "--planner", "llm", "--accept", accept, "--allow-host-code", *run.options, *arguments)
    accepted = [event["proposal"] for event in ended.all("decision") if event["kind"] == "accepted"]
    for proposal in accepted:
        run.asked("undo", proposal)
    is_as_before = _files(cli.folder) == before
    kernels = str(len(inspected.all("kernel")))
    cells = (_found(inspected), kernels, _verdict(ended), "yes" if accepted else "no", "yes" if is_as_before else "NO")
    return cells, is_as_before and (bool(accepted) or run.device != "cpu")


def _found(inspected: Ended) -> str:
    """How the program was found, as `inspect` says."""
    said = (re.fullmatch(r"part of the program (.+?): (.*)", event["message"]) for event in inspected.all("message"))
    return next((f"{found[1]}: {found[2]}"[:70] for found in said if found is not None), "")


def _verdict(ended: Ended) -> str:
    for proposal in ended.all("proposal"):
        speed = proposal["speed"]
        return f"{proposal['verification']['outcome']}, {speed['outcome']} {speed['ratio']:.2f}x"
    candidate = ended.all("candidate")[0]
    return candidate["outcome"] if candidate["ratio"] is None else f"{candidate['outcome']} {candidate['ratio']:.2f}x"


def _files(folder: Path) -> Mapping[str, bytes]:
    own = (path for path in folder.rglob("*") if path.is_file() and ".kernelopt" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in own}


if __name__ == "__main__":
    sys.exit(main())
