"""Verdicts on pairs of programs against the answers of their authors.

    python -m benchmarks.verdicts FOLDER [--device gpu:0] [--times N] [--jobs N] [--only NAME …] [--out FILE]

FOLDER holds one folder per pair, with ``A.cu`` and ``B.cu`` and the sources that either is compiled with, and ``answers.toml``: a table
for each pair with its ``kind`` (``wrong`` or ``honest``), the outcomes that are right (``expect``), ``not_faster`` where B is no faster,
and ``faster`` where it surely is. Each pair is compared
``--times`` times, with other seeds each time, every pair once before any is compared again. Exit status 1: an honest pair got FAIL, or a
wrong one PASS with nothing said.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import heading, row, spread

_TIMEOUT_S = 900.0
_ANSWERED = (0, 1)
"""Exit statuses of a comparison in which every kernel was judged."""
_ORDER = ("PASS", "NEEDS_DECISION", "CANNOT_JUDGE", "FAIL")


@dataclass(frozen=True)
class Verdict:
    """Of one comparison, over all of its kernels."""

    pair: str
    outcome: str
    """The worst of all kernels; ``CANNOT_JUDGE`` also where nothing was compared."""
    speed: str
    """``FASTER 1.80`` of the whole; empty where no speed is reported."""
    said: tuple[str, ...]
    """Labels, caveats and findings."""
    exit_code: int
    reason: str
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--out", type=Path, help="every verdict as a line of JSON; pairs that are in it are not compared again")
    options = parser.parse_args()
    answers = tomllib.loads((options.folder / "answers.toml").read_text("utf-8"))
    wanted = [name for name in answers if not options.only or name in options.only]
    known = _known(options.out)
    made = Counter(item.pair for item in known)
    asked = [name for turn in range(options.times) for name in wanted if made[name] <= turn]
    found = [item for item in known if item.pair in wanted]
    with ThreadPoolExecutor(options.jobs) as pool:
        for ended in as_completed([pool.submit(compared, options.folder / name, options.device) for name in asked]):
            found.append(verdict := ended.result())
            print(_line(verdict, answers[verdict.pair]), flush=True)
            if options.out is not None:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(verdict)) + "\n")
    return _summary(found, answers)


def compared(pair: Path, device: str) -> Verdict:
    """What ``kernelopt compare`` says of it."""
    further = (str(path) for path in sorted(pair.glob("*.cu")) if path.name not in {"A.cu", "B.cu"})
    command = ("kernelopt", "compare", "--json", "--device", device, str(pair / "A.cu"), str(pair / "B.cu"), *further)
    began_s = time.monotonic()
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return Verdict(pair.name, "CANNOT_JUDGE", "", (), 124, "the comparison took too long", _TIMEOUT_S)
    events = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    seconds = round(time.monotonic() - began_s, 1)
    made = [event for event in events if event.get("event") == "comparison"]
    reason = next((event["reason"] for event in reversed(events) if event.get("event") == "job_ended"), ended.stderr[-300:])
    outcomes = [event["verification"]["outcome"] for event in made]
    outcomes += ["CANNOT_JUDGE"] if not made or ended.returncode not in _ANSWERED else []
    said = dict.fromkeys(text for event in made for text in _said(event))
    speed = made[-1]["speed"] if made else None
    speed_words = "" if speed is None else f"{speed['outcome']} {speed['ratio']:.2f}"
    return Verdict(pair.name, max(outcomes, key=_ORDER.index), speed_words, tuple(said), ended.returncode, reason, seconds)


def _said(event: Mapping[str, Any]) -> list[str]:
    verification = event["verification"]
    labels = [f"label {label}" for label in verification["labels"]]
    caveats = [f"caveat {text}" for text in verification["caveats"]]
    return [*labels, *caveats, *(f"{item['code']}: {item['message']}" for item in verification["findings"])]


def _is_right(verdict: Verdict, answer: Mapping[str, Any]) -> bool:
    return verdict.outcome in answer["expect"]


def _claims_a_gain(verdict: Verdict) -> bool:
    outcome, _, ratio = verdict.speed.partition(" ")
    return outcome == "FASTER" or (outcome == "PREDICTED" and float(ratio) > 1.0)


def _line(verdict: Verdict, answer: Mapping[str, Any]) -> str:
    mark = "ok  " if _is_right(verdict, answer) else "??  "
    gain = " CLAIMS A GAIN" if answer.get("not_faster") and _claims_a_gain(verdict) else ""
    said = "; ".join(verdict.said)[:240] or verdict.reason[:240]
    return f"{mark}{answer['kind']:7}{verdict.pair:26}{verdict.outcome:15}{verdict.speed:18}{verdict.seconds:6.0f} s{gain}  {said}"


def _known(path: Path | None) -> list[Verdict]:
    if path is None or not path.exists():
        return []
    items = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return [Verdict(**{**item, "said": tuple(item["said"])}) for item in items]


def _summary(found: Sequence[Verdict], answers: Mapping[str, Any]) -> int:
    print("\n" + heading("pairs", "verdicts", "right", *_ORDER, "seconds: median (range)"))
    is_bad = False
    for kind in ("wrong", "honest"):
        items = [item for item in found if answers[item.pair]["kind"] == kind]
        if not items:
            continue
        counts = Counter(item.outcome for item in items)
        right = sum(_is_right(item, answers[item.pair]) for item in items)
        cells = (f"{len({item.pair for item in items})} {kind}", str(len(items)), f"{right} ({right / len(items):.0%})")
        print(row(*cells, *(str(counts[outcome]) for outcome in _ORDER), spread([item.seconds for item in items])))
        unlabelled = [item.pair for item in items if kind == "wrong" and item.outcome == "PASS" and not item.said]
        failed = [item.pair for item in items if kind == "honest" and item.outcome == "FAIL"]
        is_bad = is_bad or bool(unlabelled or failed)
        for what, names in (("PASS with nothing said", unlabelled), ("honest, and FAIL", failed)):
            if names:
                print(f"{what}: {', '.join(sorted(set(names)))}")
    gains = sorted({item.pair for item in found if answers[item.pair].get("not_faster") and _claims_a_gain(item)})
    print(f"a gain claimed where there is none: {', '.join(gains) or 'nowhere'}")
    missed = sorted({item.pair for item in found if answers[item.pair].get("faster") and not _claims_a_gain(item)})
    print(f"a gain not shown: {', '.join(missed) or 'nowhere'}")
    by_pair: dict[str, Counter[str]] = {}
    for item in found:
        by_pair.setdefault(item.pair, Counter())[item.outcome] += 1
    deviating = {name: dict(counts) for name, counts in by_pair.items() if len(counts) > 1}
    print(f"verdicts that vary from run to run: {deviating or 'none'}")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
