"""Executed warp instructions, counted without a GPU, against Nsight Compute's: by class and kernel, and by line.

    python benchmarks/instructions_vs_ncu.py [--verbose] [--save DIR] [--accounts DIR] [--only SET …] [TRUTH.json.gz]

TRUTH was written by ``benchmarks/gpu/instructions.py``; the programs it names lie under ``tests/data/executed`` and ``tests/data/h200``.
Each is run by the emulator and compiled by nvcc here. Classes with at least 1 % of a kernel's instructions are compared, and lines with as
many. ``--save`` keeps what the emulator and the compiler said, for ``tests/unit/build/test_executions.py``; ``--accounts`` takes it from
there instead of running them. The last two rows are the halves of all kernels: every second one in the order of program and name is
for finding what is wrong, the others judge.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from assistant.build.executions import executions  # noqa: E402
from assistant.build.grading import code_of  # noqa: E402
from assistant.build.mix import instruction_class, line_instructions  # noqa: E402
from assistant.cuda.loops import source_loops  # noqa: E402
from assistant.measure.instructions import CLASSES  # noqa: E402
from assistant.model.build import KernelCode  # noqa: E402
from assistant.model.profile import LaunchProfile  # noqa: E402
from assistant.model.source import Source  # noqa: E402
from benchmarks.counters_vs_h200 import Account, Workers, load_account, save_account  # noqa: E402

DATA = ROOT / "tests" / "data"
TRUTH = DATA / "executed" / "h100.json.gz"
FOLDERS = {
    "first": DATA / "executed" / "first",
    "second": DATA / "executed" / "second",
    "unseen": DATA / "h200" / "unseen",
    "bytes": DATA / "h200" / "bytes",
    "examples": DATA / "h200" / "examples",
    "h200": DATA / "h200",
}
LEAST_SHARE = 0.01
"""Of a kernel's warp instructions: what is less is not compared."""
MOST_OFF = 0.3
_UNLIKE_OPCODES = 2
"""At the end of the code nvcc pads with NOP or BRA, as Nsight Compute and nvdisasm name them differently."""


@dataclass(frozen=True)
class Compared:
    """One class of one launch, or one line."""

    program: str
    kernel: str
    what: str
    counted: float
    measured: int

    @property
    def error(self) -> float:
        return self.counted / self.measured - 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", nargs="?", type=Path, default=TRUTH)
    parser.add_argument("--only", nargs="*", default=tuple(FOLDERS), choices=tuple(FOLDERS))
    parser.add_argument("--verbose", action="store_true", help=f"name every class that is off by more than {MOST_OFF:.0%}")
    parser.add_argument("--save", type=Path, help="keep the accounts of all programs in this folder")
    parser.add_argument("--accounts", type=Path, help="take the accounts that --save kept in this folder")
    arguments = parser.parse_args()
    truth = json.loads(gzip.decompress(arguments.truth.read_bytes()))
    print(truth["device"])
    columns = f"{'programs':<10}{'kernels':>8}{'classes':>8}{'median':>8}{'p90':>8}{'max':>9}{'<= 5 %':>8}{'> 30 %':>8}"
    print(f"{columns}   lines: n, median, p90, > 30 %")
    every: tuple[list[Compared], list[Compared]] = ([], [])
    with tempfile.TemporaryDirectory() as scratch, Workers(Path(scratch)) as workers:
        for name in arguments.only:
            launches = [launch for launch in truth["launches"] if launch["program"].startswith(f"{name}/")]
            kept = None if arguments.accounts is None else dict(_kept(launches, arguments.accounts))
            accounts = dict(_accounts(launches, workers, arguments.save)) if kept is None else kept
            found = compare(launches, accounts)
            _print_row(name, *found)
            for one in (one for one in found[0] if arguments.verbose and abs(one.error) > MOST_OFF):
                print(f"    {one.program} {one.kernel}: {one.what} {one.counted:,.0f} counted, {one.measured:,} measured")
            for all_of_kind, more in zip(every, found, strict=True):
                all_of_kind.extend(more)
    names = sorted({(one.program, one.kernel) for one in every[0]})
    for name, half in (("to find", names[::2]), ("to judge", names[1::2])):
        _print_row(name, *([one for one in of_kind if (one.program, one.kernel) in half] for of_kind in every))
    return 0


def _kept(launches: list[dict[str, Any]], folder: Path) -> Iterator[tuple[str, Account]]:
    for program in dict.fromkeys(launch["program"] for launch in launches):
        path = folder / f"{program}.json.gz"
        if path.exists():
            yield program, load_account(path)
        else:
            print(f"  left out: {path.name} is not in {folder}")


def _accounts(launches: list[dict[str, Any]], workers: Workers, save: Path | None) -> Iterator[tuple[str, Account]]:
    for program in dict.fromkeys(launch["program"] for launch in launches):
        folder, _, name = program.partition("/")
        account = workers.account(FOLDERS[folder] / name)
        if isinstance(account, str):
            print(f"  left out: {account}")
            continue
        if save is not None:
            save_account(save / folder / f"{name}.json.gz", account)
        yield program, account


def compare(launches: list[dict[str, Any]], accounts: dict[str, Account]) -> tuple[list[Compared], list[Compared]]:
    """Classes and lines of all launches whose programs are in ``accounts``; launches are matched in order."""
    by_program: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for launch in launches:
        by_program[launch["program"]].append(launch)
    classes: list[Compared] = []
    lines: list[Compared] = []
    for program, measured in by_program.items():
        if program not in accounts:
            continue
        account, path = accounts[program], FOLDERS[program.partition("/")[0]] / program.partition("/")[2]
        loops = source_loops(Source(Path(account.profiles[0].executions[0].file), path.read_text()))
        for profile, launch in zip(account.profiles, measured, strict=False):
            code = code_of(account.codes, profile.kernel)
            if code is None or not is_same_code(code, launch):
                print(f"  left out: {program} {profile.kernel}: nvcc made other code here")
                continue
            counted = replace(profile, instructions=line_instructions(code, profile, executions(code, profile, loops)))
            classes += _classes(program, counted, code, launch)
            lines += _lines(program, counted, launch)
    return classes, lines


def is_same_code(code: KernelCode, launch: dict[str, Any]) -> bool:
    pairs = zip((i.opcode.split(".")[0] for i in code.instructions), launch["opcodes"], strict=False)
    return sum(ours != theirs.split(".")[0] for ours, theirs in pairs) <= _UNLIKE_OPCODES


def _classes(program: str, counted: LaunchProfile, code: KernelCode, launch: dict[str, Any]) -> list[Compared]:
    moves = {i.offset_bytes for i in code.instructions if i.is_half_move}
    measured: Counter[str] = Counter()
    for offset, opcode, warps in zip(launch["offsets"], launch["opcodes"], launch["warps"], strict=True):
        measured["other" if offset in moves else instruction_class(opcode)] += warps
    ours = {name: sum(getattr(line.warp_mix, name) for line in counted.instructions) for name in CLASSES}
    return _compared(program, counted.kernel, ours, measured)


def _lines(program: str, counted: LaunchProfile, launch: dict[str, Any]) -> list[Compared]:
    measured: Counter[str] = Counter()
    for line, warps in zip(launch["lines"], launch["warps"], strict=True):
        measured[f"line {line}"] += warps
    ours: Counter[str] = Counter()
    for line in counted.instructions:
        ours[f"line {line.line}"] += sum(getattr(line.warp_mix, name) for name in CLASSES)
    return _compared(program, counted.kernel, ours, measured)


def _compared(program: str, kernel: str, ours: dict[str, int], measured: Counter[str]) -> list[Compared]:
    least = LEAST_SHARE * sum(measured.values())
    return [Compared(program, kernel, what, ours.get(what, 0), count) for what, count in measured.items() if count >= max(1, least)]


def _print_row(name: str, classes: list[Compared], lines: list[Compared]) -> None:
    errors, by_line = sorted(abs(one.error) for one in classes), sorted(abs(one.error) for one in lines)
    if not errors:
        return
    kernels = len({(one.program, one.kernel) for one in classes})
    print(
        f"{name:<10}{kernels:>8}{len(errors):>8}{statistics.median(errors):>8.1%}{_p90(errors):>8.1%}{errors[-1]:>9.0%}"
        f"{_share(errors, at_most=0.05):>8.0%}{sum(error > MOST_OFF for error in errors):>8}"
        f"   {len(by_line)}, {statistics.median(by_line):.1%}, {_p90(by_line):.1%}, {sum(error > MOST_OFF for error in by_line)}"
    )


def _p90(errors: list[float]) -> float:
    return errors[min(len(errors) - 1, int(0.9 * len(errors)))]


def _share(errors: Iterable[float], at_most: float) -> float:
    found = list(errors)
    return sum(error <= at_most for error in found) / len(found)


if __name__ == "__main__":
    sys.exit(main())
