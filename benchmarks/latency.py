"""How long a person waits: translate and compile for the emulator, compile worker, command line start-up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import heading, row, spread

ROUNDS = 9
_EXAMPLES = Path(__file__).parent.parent / "examples"


def report(cache: Path) -> str:
    """A Markdown table."""
    text = (_EXAMPLES / "transpose.cu").read_text("utf-8")
    emulator, compiler = _Worker("assistant.emulator"), _Worker("assistant.device")
    try:
        counted = _timed(lambda i: emulator.ask(_build(text, i, cache, "counted")))
        fast = _timed(lambda i: emulator.ask(_build(text, i, cache, "fast")))
        cached = _timed(lambda _: emulator.ask(_build(text, 0, cache, "counted")))
        diagnostics = _timed(lambda i: compiler.ask(_compile(text, i, [])))
        machine_code = _timed(lambda i: compiler.ask(_compile(text, i, ["resources", "sass"])))
        rows = [
            ("emulator: translate + compile, small kernel, counted", "≤ 0.3 s", counted),
            ("emulator: translate + compile, small kernel, fast", "≤ 0.3 s", fast),
            ("emulator: the same, cached", "≤ 0.05 s", cached),
            ("compile worker: diagnostics only (NVRTC)", "p50 ≤ 0.15 s", diagnostics),
            ("compile worker: registers and SASS", "—", machine_code),
            ("kernelopt --help", "—", _timed(lambda _: _command("--help"))),
            ("kernelopt inspect", "—", _timed(lambda _: _command("inspect", str(_EXAMPLES / "transpose.cu")))),
        ]
    finally:
        emulator.close()
        compiler.close()
    lines = [heading("what", "budget", "seconds: median (range, n)")]
    lines += [row(what, budget, spread(times)) for what, budget, times in rows]
    return "\n".join(lines)


def _timed(work: Callable[[int], object]) -> list[float]:
    """Seconds of ``work(1)`` … after one warm-up."""
    work(0)
    times: list[float] = []
    for index in range(1, ROUNDS + 1):
        start = time.perf_counter()
        work(index)
        times.append(time.perf_counter() - start)
    return times


def _build(text: str, variant: int, cache: Path, flavour: str) -> dict[str, object]:
    source = [str(_EXAMPLES / "transpose.cu"), f"{text}// variant {variant} {time.time_ns() if variant else 0}\n"]
    return {"op": "build", "sources": [source], "cache_dir": str(cache / "emulator"), "flavour": flavour}


def _compile(text: str, variant: int, want: list[str]) -> dict[str, object]:
    source = [str(_EXAMPLES / "transpose.cu"), f"{text}// variant {variant}\n"]
    return {"op": "compile", "sources": [source], "architecture": "sm_90", "want": want}


def _command(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "assistant", *arguments], check=True, capture_output=True)


class _Worker:
    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen([sys.executable, "-m", module], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, message: dict[str, object]) -> object:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        if "failure" in reply or reply.get("ok") is False:
            raise SystemExit(f"the worker refused: {reply}")
        return reply

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
