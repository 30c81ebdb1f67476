"""``python -m benchmarks.gpu PART [--out FOLDER] [--seconds N]``: one part's figures as a table; all results as JSON in FOLDER.

A part stops after N seconds (default 500) and goes on from its JSON when it is started again. ``sizes`` prints each figure as soon as it is
measured and takes ``--sizes 10us,1ms``: those of 10us, 100us, 1ms, 20ms and 100ms that are wanted. ``answers`` takes ``--only NAME …``,
``libraries`` the ``--sizes`` of ``kernelopt bench``: ``smallest``, ``largest``, ``all``, or numbers from 1.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

from benchmarks.gpu import parts
from benchmarks.gpu.against_ncu import measure_ncu
from benchmarks.gpu.answers import PROGRAMS, answers_table, measure_answers
from benchmarks.gpu.bench import Bench, Kept
from benchmarks.gpu.counters import counters_table, measure_counters
from benchmarks.gpu.libraries import print_libraries
from benchmarks.gpu.model import measure_model, model_table, write_accuracy
from benchmarks.gpu.ncu_table import ncu_table
from benchmarks.gpu.rate import measure_rate, rate_table
from benchmarks.gpu.screen import measure_screen, screen_table
from benchmarks.gpu.sizes import SIZES, measure_sizes, sizes_table
from benchmarks.gpu.workers import measure_workers, workers_table

_OF_LABS = {
    "answers": (measure_answers, answers_table),
    "model": (measure_model, model_table),
    "counters": (measure_counters, counters_table),
    "screen": (measure_screen, screen_table),
    "sizes": (measure_sizes, sizes_table),
    "rate": (measure_rate, rate_table),
    "workers": (measure_workers, workers_table),
    "ncu": (measure_ncu, ncu_table),
}
"""Parts that ask a lab as a front end does, each with its table."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu")
    parser.add_argument("part", choices=sorted((*parts.PARTS, *_OF_LABS, "libraries")))
    parser.add_argument("--out", type=Path, default=Path(".kernelopt/bench-gpu"))
    parser.add_argument("--seconds", type=float, default=500.0)
    parser.add_argument("--gpu", type=int, default=0)
    parser.add_argument("--sizes", metavar="SIZE,…", help=f"of {', '.join(SIZES)} (default: all); of libraries: as of kernelopt bench")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=PROGRAMS, help="programs of answers (default: all)")
    options = parser.parse_args()
    try:
        if options.part == "libraries":
            print_libraries(options.out, options.sizes or "largest", options.seconds)
            return
        sizes = _sizes(options.sizes or ",".join(SIZES)) if options.part == "sizes" else ()
    except ValueError as error:
        parser.error(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    kept = Kept(options.out / f"{options.part}.json")
    if options.part in _OF_LABS:
        measure_lab, lab_table = _OF_LABS[options.part]
        if options.part == "sizes":
            measure_lab = partial(measure_sizes, sizes=sizes)
        if options.part == "answers":
            measure_lab = partial(measure_answers, only=options.only)
        try:
            measure_lab(kept, options.out, time.monotonic() + options.seconds)
        finally:
            kept.write()
        print(lab_table(kept.rows))
        if options.part == "model":
            write_accuracy(kept.rows)
        return
    measure, table = parts.PARTS[options.part]
    bench = Bench.open(options.gpu)
    try:
        measure(bench, kept, time.monotonic() + options.seconds)
    finally:
        kept.write()
    print(table(kept.rows))
    state = bench.sensor.state()
    print(f"\n{bench.device.name}, driver {bench.device.driver_version}, {bench.device.compiler}; {state}")


def _sizes(text: str) -> tuple[str, ...]:
    unknown = [word for word in text.split(",") if word not in SIZES]
    if unknown:
        raise ValueError(f"--sizes {', '.join(unknown)}: give some of {', '.join(SIZES)}")
    return tuple(text.split(","))


if __name__ == "__main__":
    main()
