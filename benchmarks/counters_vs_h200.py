"""The emulator's graded counters against Nsight Compute's, line by line.

    python benchmarks/counters_vs_h200.py [--verbose] [--save DIR] [FOLDER TRUTH.json …]

FOLDER holds the programs that TRUTH (written by ``benchmarks/h200/capture.py``) names. Each program is run by the emulator,
compiled by nvcc for its machine code, graded, and compared: sectors and ideal sectors of global, wavefronts and ideal wavefronts
of shared accesses. Atomics are also compared by kernel and with rows that Nsight Compute books on a toolkit header. Exit status 1: a
line graded exact differs from the hardware. ``--save`` keeps what the emulator and the compiler said, for
``tests/unit/build/test_grading.py``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from assistant.build.grading import GradingInput, code_of, corrections, grade  # noqa: E402
from assistant.cuda.loops import source_loops  # noqa: E402
from assistant.cuda.parse import parse  # noqa: E402
from assistant.model.build import BuildResult, KernelCode  # noqa: E402
from assistant.model.profile import AccessSite, Correction, Grade, LaunchProfile, LineAccess  # noqa: E402
from assistant.model.source import Source  # noqa: E402
from assistant.serialize import decode, encode  # noqa: E402

H200 = ROOT / "tests" / "data" / "h200"
DEFAULT_SETS = (
    (H200, H200 / "counters.json"),
    (H200 / "examples", H200 / "examples.json"),
    (H200, H200 / "grade.json"),
    (H200, H200 / "wide.json"),
    (H200 / "unseen", H200 / "unseen.json"),
    (H200 / "bytes", H200 / "bytes.json"),
)


@dataclass(frozen=True)
class Row:
    """One line and kind of access of one launch."""

    program: str
    kernel: str
    access: LineAccess
    hardware: tuple[int | None, int | None] | None
    """None where the hardware booked nothing on the line."""
    is_equal: bool


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", type=Path, metavar="FOLDER TRUTH")
    parser.add_argument("--verbose", action="store_true", help="name every line that is not both exact and equal")
    parser.add_argument("--save", type=Path, help="keep the accounts of all programs in this folder")
    arguments = parser.parse_args()
    pairs = list(zip(arguments.sets[::2], arguments.sets[1::2], strict=True)) or list(DEFAULT_SETS)
    wrong = 0
    print(f"{'truth':<18}{'lines':>7}{'exact':>7}{'':>6}{'equal':>7}{'':>7}{'exact but different':>21}")
    for folder, truth in pairs:
        rows = list(compare(folder.resolve(), truth, arguments.save))
        if not rows:
            continue
        wrong += _print_summary(truth.stem, rows)
        if arguments.verbose:
            _print_rows(rows)
    return 1 if wrong else 0


def _print_summary(name: str, rows: list[Row]) -> int:
    exact = [row for row in rows if row.access.grade is Grade.EXACT]
    wrong = sum(not row.is_equal for row in exact)
    equal = sum(row.is_equal for row in rows)
    print(f"{name:<18}{len(rows):>7}{len(exact):>7}{len(exact) / len(rows):>6.0%}{equal:>7}{equal / len(rows):>7.1%}{wrong:>21}")
    return wrong


def _print_rows(rows: list[Row]) -> None:
    for row in rows:
        if row.access.grade is Grade.EXACT and row.is_equal:
            continue
        verdict = "equal" if row.is_equal else f"emulator {counted(row.access)}, hardware {row.hardware}"
        print(f"  {row.program}:{row.access.line} {row.access.op}: {row.access.grade_reason or 'EXACT'}; {verdict}")
    reasons = Counter(row.access.grade_reason for row in rows if row.access.grade_reason)
    for reason, count in reasons.most_common():
        print(f"  {count:4} {reason}")


def compare(folder: Path, truth: Path, save: Path | None) -> Iterator[Row]:
    """Rows of every program that ``truth`` names."""
    by_program: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for launch in json.loads(truth.read_text())["launches"]:
        by_program[launch["program"]].append(launch)
    with tempfile.TemporaryDirectory() as scratch, Workers(Path(scratch)) as workers:
        for program, launches in by_program.items():
            account = workers.account(folder / program)
            if isinstance(account, str):
                print(f"  left out: {account}")
                continue
            if save is not None:
                save_account(save / f"{program}.json.gz", account)
            yield from rows_of(folder / program, account, launches)


@dataclass(frozen=True)
class Account:
    """What the emulator counted and the compiler generated for one program."""

    profiles: tuple[LaunchProfile, ...]
    codes: tuple[KernelCode, ...]
    corrections: tuple[Correction, ...] = ()
    """With which the profiles were counted."""


def save_account(path: Path, account: Account) -> None:
    """Paths inside become bare file names, so that the account fits any checkout."""
    text = json.dumps(encode(account), separators=(",", ":"))
    folders = {str(Path(p.file).parent) for p in account.profiles}
    for folder in folders:
        text = text.replace(f'"{folder}/', '"')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def load_account(path: Path) -> Account:
    account: Account = decode(Account, json.loads(gzip.decompress(path.read_bytes())))
    return account


def rows_of(program: Path, account: Account, launches: list[dict[str, Any]]) -> Iterator[Row]:
    """Graded lines of a program next to the hardware's; launches are matched in order."""
    # The capture keeps a program's first launches (capture.py --launches); the emulator counts all.
    for request, launch in zip(grading_inputs(program, account), launches, strict=False):
        yield from _matched(program.name, launch, grade(request))


def grading_inputs(program: Path, account: Account) -> Iterator[GradingInput]:
    """One per launch."""
    source = Source(Path(account.profiles[0].sites[0].file), program.read_text())
    loops, kernels = source_loops(source), parse(source).kernels
    for profile in account.profiles:
        name = profile.kernel.split("(")[0].split("<")[0].split()[-1]
        kernel = next(k for k in kernels if k.qualified_name == name)
        lines = (source.line_of(kernel.span.start), source.line_of(kernel.span.end))
        yield GradingInput(profile, code_of(account.codes, profile.kernel), loops, lines, account.corrections)


def _matched(program: str, launch: dict[str, Any], graded: tuple[LineAccess, ...]) -> Iterator[Row]:
    hardware = {(row["line"], row["op"]): measured(row) for row in launch["lines"]}
    agreeing = {
        op
        for op in ("global atomic", "shared atomic")
        if _sum(measured(r) for r in launch["lines"] if r["op"] == op) == _sum(counted(a) for a in graded if a.op == op)
    }
    on_header = {(row["op"], measured(row)) for row in launch["lines"] if row["line"] == 0}
    for access in graded:
        if not access.op.startswith("local"):
            value = hardware.get((access.line, access.op))
            is_equal = value == counted(access) or access.op in agreeing or (access.op, counted(access)) in on_header
            yield Row(program, launch["kernel"], access, value, is_equal)


def counted(access: LineAccess) -> tuple[int | None, int | None]:
    if access.op.startswith("shared"):
        return access.wavefronts, access.ideal_wavefronts
    return access.sectors, access.ideal_sectors


def measured(row: dict[str, Any]) -> tuple[int | None, int | None]:
    if row["op"].startswith("shared"):
        return row.get("wavefronts"), row.get("ideal_wavefronts")
    return row.get("sectors"), row.get("ideal_sectors")


def _sum(pairs: Iterator[tuple[int | None, int | None]]) -> tuple[int, int]:
    both = list(pairs)
    return sum(a or 0 for a, _ in both), sum(b or 0 for _, b in both)


class Workers:
    """The emulator's and the compilers' processes."""

    def __init__(self, scratch: Path, architecture: str = "sm_90") -> None:
        self._scratch, self._architecture = scratch, architecture
        self._cache = Path(tempfile.gettempdir()) / "kernelopt-benchmark-cache"

    def __enter__(self) -> Workers:
        self._emulator, self._device = _worker("assistant.emulator"), _worker("assistant.device")
        return self

    def __exit__(self, *_: object) -> None:
        for worker in (self._emulator, self._device):
            assert worker.stdin is not None
            worker.stdin.close()
            worker.wait()

    def account(self, program: Path) -> Account | str:
        """What both say of a program; a sentence where the emulator cannot build or the compiler not compile it."""
        sources = [[str(program), program.read_text()]]
        profiles, codes = self._profiles(program, sources, ()), self._codes(program, sources)
        if isinstance(profiles, str) or isinstance(codes, str):
            return profiles if isinstance(profiles, str) else str(codes)
        proposed = tuple(dict.fromkeys(c for r in grading_inputs(program, Account(profiles, codes)) for c in corrections(r)))
        if proposed:
            profiles = self._profiles(program, sources, proposed)
            assert not isinstance(profiles, str), "it was built before"
        return Account(profiles, codes, proposed)

    def _profiles(self, program: Path, sources: list[list[str]], counted_with: tuple[Correction, ...]) -> tuple[LaunchProfile, ...] | str:
        build = _ask(self._emulator, {"op": "build", "sources": sources, "flavour": "counted", "cache_dir": str(self._cache)})
        if not build.get("binary"):
            return f"{program.name}: the emulator cannot build it: {build.get('diagnostics')}"
        command = {"op": "run", "binary": build["binary"], "cwd": str(self._scratch), "corrections": encode(counted_with)}
        counts = _ask(self._emulator, {**command, "mode": "count"})
        checks = _ask(self._emulator, {**command, "mode": "check"})
        profiles = decode(tuple[LaunchProfile, ...], counts["profiles"])
        return tuple(
            replace(profile, sites=tuple(_site(s, unordered) for s in sites))
            for profile, sites, checked in zip(profiles, counts["sites"], checks["sites"], strict=True)
            for unordered in ({(s["file"], s["line"], s["op"]) for s in checked if s["is_unordered"]},)
        )

    def _codes(self, program: Path, sources: list[list[str]]) -> tuple[KernelCode, ...] | str:
        message = {"op": "compile", "sources": sources, "architecture": self._architecture, "want": ["resources", "sass"]}
        reply = _ask(self._device, {**message, "cache_directory": str(self._cache)})
        result: BuildResult = decode(BuildResult, reply["result"]["result"])
        code = getattr(result, "code", None)
        if code is None:
            return f"{program.name}: {result}"
        return tuple(code)


def _site(detail: dict[str, Any], unordered: set[tuple[str, int, str]]) -> AccessSite:
    place = (detail["file"], detail["line"], detail["op"])
    return AccessSite(
        *place,
        size_bytes=detail["size_bytes"],
        requests=detail["requests"],
        active_threads=detail["lanes"],
        is_unordered=detail["is_unordered"] or place in unordered,
        address=detail["address"],
        units=detail["units"],
        ideal_units=detail["ideal_units"],
        tags=detail["tags"],
        doubtful_requests=detail["doubtful_requests"],
        serial_wavefronts=detail["serial_wavefronts"],
    )


def _worker(module: str) -> subprocess.Popen[str]:
    return subprocess.Popen((sys.executable, "-m", module), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def _ask(worker: subprocess.Popen[str], message: dict[str, Any]) -> dict[str, Any]:
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(json.dumps(message) + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise SystemExit("a worker ended without an answer")
    reply: dict[str, Any] = json.loads(line)
    return reply


if __name__ == "__main__":
    sys.exit(main())
