"""Our times and ratios against Nsight Compute's, of what searches find in programs that nothing here was tuned for.

    python -m benchmarks.gpu.against_ncu FOLDER [--device gpu:0] [--runs 5] [--jobs 4] [--only NAME …] [--out FOLDER] [--seconds N]

First every ``X.cu`` of FOLDER is searched for faster versions (``kernelopt optimize``), several at once; then each program, and each
version of it with a measured speed, is run ``--runs`` times under ``ncu --clock-control none --cache-control all``, alone on the GPU. The
median of each kernel, grid and block is set next to ours. Launches that cannot be told apart are left out, and listed. All results are kept
in ``ncu.json`` of ``--out``: started again, the benchmark goes on where it was. Exit status 1: a time of A's of 20 µs or more is further
than 10 % from Nsight Compute's, or a ratio of two such times further than 5 %.
"""

from __future__ import annotations

import argparse
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.errors import KernelOptError
from assistant.serialize import encode
from benchmarks.gpu.bench import Kept
from benchmarks.gpu.ncu_searches import Search, SearchOptions, search
from benchmarks.gpu.ncu_table import is_off, ncu_table, searches_of
from benchmarks.gpu.ncu_times import CLOCKS, Launch, NoLaunches, ncu_path, profiled

__all__ = ["measure_ncu"]

_PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "data" / "h200" / "unseen"
_SEARCH_SHARE = 0.55
"""Of the time that there is."""
_LEAST_SEARCH_S = 30.0
_LEAST_RUNS_S = 15.0
_LEAST_RUN_S = 5.0


@dataclass(frozen=True)
class Asked:
    """What is measured, and how."""

    programs: tuple[Path, ...]
    options: SearchOptions
    job_count: int = 4
    """Searches at a time."""
    run_count: int = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--skip", nargs="*", default=())
    parser.add_argument("--most", type=int, default=2, help="versions of a program that are run under ncu")
    parser.add_argument("--optimize", default="", help="further arguments of kernelopt optimize, in one word: --optimize='--rounds 2'")
    parser.add_argument("--out", type=Path, help="one for each FOLDER; .kernelopt/against-ncu/FOLDER where none is given")
    parser.add_argument("--seconds", type=float, default=560.0)
    options = parser.parse_args()
    out = options.out or Path(".kernelopt/against-ncu", options.folder.resolve().name)
    out.mkdir(parents=True, exist_ok=True)
    found = (path for path in sorted(options.folder.glob("*.cu")) if path.stem not in options.skip)
    programs = tuple(path for path in found if not options.only or path.stem in options.only)
    searches = SearchOptions(out / "ncu", options.device, tuple(options.optimize.split()), options.most)
    kept = Kept(out / "ncu.json")
    _measure(kept, Asked(programs, searches, options.jobs, options.runs), time.monotonic() + options.seconds)
    print(ncu_table(kept.rows))
    return int(is_off(kept.rows))


def measure_ncu(kept: Kept, folder: Path, end_s: float) -> None:
    """Rows ``search``, ``runs`` and ``facts`` of each program, until the clock (``time.monotonic``) reads ``end_s``."""
    _measure(kept, Asked(tuple(sorted(_PROGRAMS.glob("*.cu"))), SearchOptions(folder / "ncu")), end_s)


def _measure(kept: Kept, asked: Asked, end_s: float) -> None:
    if asked.options.device != "cpu":
        ncu_path()  # Ends here where there is none, not after all searches.
    now_s = time.monotonic()
    _search_all(kept, asked, now_s + _SEARCH_SHARE * (end_s - now_s))
    names = {path.stem for path in asked.programs}
    searches = [found for found in searches_of(kept.rows) if found.program in names and found.versions]
    for found in searches:
        if found.original is not None and not kept.count(what="runs", program=found.program):
            _run_versions(kept, found, found.original, asked.run_count, end_s)
    for found in searches:
        if found.original is not None and kept.count(what="runs", program=found.program):
            _note_facts(kept, found.program, found.original, end_s)


def _search_all(kept: Kept, asked: Asked, end_s: float) -> None:
    """Several at once, as the emulator takes most of the time: kernels are timed one after another."""

    def searched(path: Path) -> Search | str:
        if end_s - time.monotonic() < _LEAST_SEARCH_S:
            return f"{path.stem}: not searched, no time was left"
        try:
            return search(path, asked.options, end_s)
        except (OSError, subprocess.SubprocessError, sqlite3.Error, KernelOptError) as error:
            return f"{path.stem}: {error!r}"

    waiting = [path for path in asked.programs if not kept.count(what="search", program=path.stem, device=asked.options.device)]
    with ThreadPoolExecutor(asked.job_count) as pool:
        for found in pool.map(searched, waiting):
            if isinstance(found, str):
                _say(found)
                continue
            _keep(kept, "search", **encode(found))
            for words in (_how(found), *found.problems):
                _say(f"{found.program}: {words}")


def _how(found: Search) -> str:
    counts = f"{found.candidate_count} candidates, {found.proposal_count} proposals, {found.timed_count} timed"
    return f"{counts}; {found.seconds:.0f} s{', cut short' if found.is_cut_short else ''}; {found.reason}"


def _run_versions(kept: Kept, found: Search, original: Path, count: int, end_s: float) -> None:
    """The original and its versions in turn, so that a GPU that changes meanwhile changes for all; kept where time sufficed."""
    if end_s - time.monotonic() < _LEAST_RUNS_S:
        _say(f"{found.program}: no time was left for ncu")
        return
    binaries = (original, *(built.binary for built in found.versions))
    runs: list[list[tuple[Launch, ...]]] = [[] for _ in binaries]
    for _ in range(count):
        for binary, launches in zip(binaries, runs, strict=True):
            if end_s - time.monotonic() < _LEAST_RUN_S:
                _say(f"{found.program}: no time was left for {count} runs under ncu")
                return
            launches.append(_seen(binary, profiled(binary)))
    if not any(runs[0]):
        return
    _keep(kept, "runs", program=found.program, original=encode(runs[0]), versions=encode(runs[1:]))
    _say(f"{found.program}: {count} runs under ncu")


def _note_facts(kept: Kept, program: str, original: Path, end_s: float) -> None:
    """Which may say why times differ: the original's with caches left as they are, and its clocks."""
    if end_s - time.monotonic() > _LEAST_RUNS_S and not kept.count(what="facts", program=program):
        warm = _seen(original, profiled(original, cache_control="none"))
        clocks = _seen(original, profiled(original, CLOCKS))
        _keep(kept, "facts", program=program, warm=encode(warm), clocks=encode(clocks))


def _seen(binary: Path, found: tuple[Launch, ...] | NoLaunches) -> tuple[Launch, ...]:
    """Empty where ncu measured nothing, which is said."""
    if isinstance(found, NoLaunches):
        _say(f"{binary.name}: {found.reason}")
        return ()
    return found


def _keep(kept: Kept, what: str, **row: Any) -> None:
    kept.add({"what": what, **row})
    kept.write()


def _say(words: str) -> None:
    """A comment among the Markdown that the benchmark prints."""
    print(f"<!-- {' '.join(words.split())} -->", flush=True)


if __name__ == "__main__":
    sys.exit(main())
