# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Times of an operator's contenders on a GPU, taken in turns, so that what drifts hits all of them.

Two times are taken of each. *Call*: as a user makes calls, one after the other, by the host's clock, until the GPU has done them all (as
``torch.utils.benchmark.Timer`` does). *Device*: from an event before a call to one behind it, with L2 overwritten before (as Triton's
``do_bench`` does), the host far enough ahead that the GPU does not wait for it. Clocks and events are taken from CUDA itself before the
candidate is loaded, and the reference is timed once before: a candidate that slows it down is noticed.

The answer holds seconds: ``rounds[i][name] = {"call": [first, second], "device": [first, second]}``. In a round each contender has its turn
twice, in an order drawn anew and then in the opposite one. ``kernels[name]``: what one call of each baseline runs on the GPU.
"""

from __future__ import annotations

import ctypes
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side.candidate import Candidate
from assistant.torch_worker.side.contenders import CANDIDATE, EAGER, Contender, Left, contender, graphed
from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.loading import load, made
from assistant.torch_worker.side.native import NativeExtensions
from assistant.torch_worker.side.place import Place
from assistant.torch_worker.side.tensor_files import decoded, decoded_tensor, tensors_in
from assistant.torch_worker.side.trace import Trace
from assistant.torch_worker.side.watching import Fingerprint, OpenedFiles

__all__ = ["Clock", "kernels_of", "run", "turns"]

_FLUSH_BYTES = 256 << 20
"""More than four times the largest L2; Triton's ``do_bench`` overwrites as much."""
_SLOT_S = 0.01
"""A turn lasts about so long, and holds at least one call."""
_MOST_CALLS = 200
_LEAST_ROUNDS, _MOST_ROUNDS = 8, 30
_CLOCK_HZ = 1.98e9
"""Of the clocks that ``torch.cuda._sleep`` counts: an H200's highest; on a slower GPU the host gets more time."""
_AHEAD_S = 2e-5
_TOLERANCE = 0.05
"""Share of the largest result by which timed calls may miss: verdicts come from elsewhere, here work must only have been done."""


def run(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Raises SideError where the reference or the candidate does not run."""
    place = Place(order, folder)
    with place.entered(says_cuda=True), torch.no_grad():
        return _Timing(order, folder, place).answer()


class _Timing:
    def __init__(self, order: dict[str, Any], folder: Path, place: Place) -> None:
        self._order = order
        self._folder = folder
        self._place = place
        self._random = random.Random(order["seed"])  # noqa: S311 - an order of turns
        self._cases: list[list[Any]] = []
        self._inputs: list[Any] = []
        """The tensors that every contender reads."""
        self._expected: list[list[torch.Tensor]] = []
        self._now = 0
        """Whose values the shared tensors hold."""

    def answer(self) -> dict[str, Any]:
        torch.set_deterministic_debug_mode("default")
        module = load(self._order["path"], "kernelopt_task", self._order["folder"])
        for name, value in self._order["sizes"].items():
            setattr(module, name, value)
        self._place.take("share")
        self._clock = Clock()
        reference = self._reference(module)
        self._draw(reference)
        left: list[Left] = []
        found: list[Contender] = []

        def add(made: Contender | Left) -> None:
            (left if isinstance(made, Left) else found).append(made)  # pyright: ignore[reportArgumentType]

        eager = contender(EAGER, reference, self._inputs)
        if isinstance(eager, Left):
            raise SideError("raised", f"the reference: {eager.reason}")
        alone_s = self._clock.device_s(eager.call, 20)
        found.append(eager)
        for name in self._order["baselines"]:
            if name != EAGER:
                add(contender(name, self._reference(module), self._inputs))
        trace = Trace(frozenset(), with_copies=True)
        kernels = {each.name: kernels_of(trace, each) for each in found}
        fingerprint = Fingerprint()
        if self._order["candidate"] is not None:
            OpenedFiles(frozenset(self._order["candidate"]["closed"]))
            candidate = contender(CANDIDATE, self._candidate(), self._inputs)
            if isinstance(candidate, Left):
                raise SideError("raised", f"the candidate: {candidate.reason}")
            found.append(candidate)
            add(graphed(candidate))
        self._place.take("alone")
        rounds = turns(
            self._clock, found, lambda: self._show(self._random.randrange(len(self._cases))), self._random, self._order["time_s"]
        )
        wrong = self._wrong(found)
        return {
            "failure": None,
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name(),
            "names": [each.name for each in found],
            "left_out": [list(each) for each in left],
            "rounds": rounds,
            "alone_s": alone_s,
            "wrong": wrong,
            "kernels": kernels,
            "replaced": fingerprint.changed(),
            "settings": _settings(),
        }

    def _reference(self, module: Any) -> torch.nn.Module:
        """A model with the weights of the judged one."""
        saved = self._order["model"]
        model = made(getattr(module, self._order["class"]), decoded(saved["init"]), self._order["path"])
        model.load_state_dict({name: decoded_tensor(tensor) for name, tensor in saved["state"].items()})
        return model.to(self._place.device).train(model.training)

    def _candidate(self) -> torch.nn.Module:
        extensions = NativeExtensions()
        extensions.install()
        order = {**self._order["candidate"], "models": [self._order["model"]], "cases": [], "backward": False, "seed": self._order["seed"]}
        candidate = Candidate(order, self._folder, extensions, self._place)
        candidate.load()
        model = candidate.model(0, self._order["model"])
        assert model is not None
        return model

    def _draw(self, reference: torch.nn.Module) -> None:
        self._cases = [decoded(saved, self._place.device) for saved in self._order["inputs"]]
        self._inputs = decoded(self._order["inputs"][0], self._place.device)
        for number in range(len(self._cases)):
            self._show(number)
            self._expected.append([tensor.clone() for tensor in tensors_in(reference(*self._inputs))])

    def _show(self, number: int) -> None:
        """Let the shared tensors hold the values of this case."""
        for shared, values in zip(tensors_in(self._inputs), tensors_in(self._cases[number]), strict=True):
            shared.copy_(values)
        self._now = number

    def _show_any(self) -> None:
        self._show(self._random.randrange(len(self._cases)))

    def _wrong(self, found: Sequence[Contender]) -> list[str]:
        """Contenders that left something else than the reference when they were called as they were timed."""
        names: list[str] = []
        for each in found:
            for number in range(len(self._cases)):
                self._show(number)
                self._clock.device_s(each.call, 2)
                if not all(map(_is_near, tensors_in(each.call()), self._expected[number])):
                    names.append(each.name)
                    break
        return names


def turns(clock: Clock, found: Sequence[Contender], show: Callable[[], None], chance: random.Random, time_s: float) -> list[dict[str, Any]]:
    """Seconds of each contender in each round; ``show`` changes the inputs' values before a round."""
    plans = {each.name: clock.planned(each.call) for each in found}
    rounds: list[dict[str, Any]] = []
    end_s = time.perf_counter() + time_s
    while len(rounds) < _MOST_ROUNDS and (len(rounds) < _LEAST_ROUNDS or time.perf_counter() < end_s):
        show()
        order = list(found)
        chance.shuffle(order)
        times: dict[str, Any] = {each.name: {"call": [], "device": []} for each in found}
        for each in (*order, *reversed(order)):
            call_count, device_count = plans[each.name]
            times[each.name]["device"].append(clock.device_s(each.call, device_count))
            times[each.name]["call"].append(clock.call_s(each.call, call_count))
        rounds.append(times)
    return rounds


def kernels_of(trace: Trace, made: Contender) -> list[dict[str, Any]]:
    """What runs on the GPU in one call, the costliest first."""
    with trace.recorded() as ran:
        made.call()
    total: dict[str, list[float]] = {}
    for kernel in ran:
        total.setdefault(kernel.name, []).append(kernel.time_s)
    rows = [{"name": name, "count": len(times), "time_s": sum(times)} for name, times in total.items()]
    return sorted(rows, key=lambda row: -row["time_s"])


def _is_near(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    if actual.shape != expected.shape:
        return False
    if not expected.is_floating_point():
        return torch.equal(actual, expected)
    finite = expected.double().nan_to_num(0.0, 0.0, 0.0)
    allowed = _TOLERANCE * max(float(finite.abs().max()) if finite.numel() else 0.0, 1e-30)
    return bool(torch.allclose(actual.double(), expected.double(), rtol=_TOLERANCE, atol=allowed, equal_nan=True))


def _settings() -> dict[str, Any]:
    return {
        "float32 products": "TF32" if torch.backends.cuda.matmul.allow_tf32 else "float32",
        "convolutions": "TF32" if torch.backends.cudnn.allow_tf32 else "float32",
        "search for the fastest convolution": torch.backends.cudnn.benchmark,
        "autocast": torch.is_autocast_enabled("cuda"),
        "gradients": torch.is_grad_enabled(),
    }


class Clock:
    """CUDA's events by its runtime, and the host's clock: what a candidate may put in the place of PyTorch's own changes nothing here."""

    def __init__(self) -> None:
        torch.cuda.synchronize()
        self._flushed = torch.empty(_FLUSH_BYTES, dtype=torch.int8, device="cuda")
        self._flush = self._flushed.zero_
        self._sleep = torch.cuda._sleep
        self._wait = torch.cuda.synchronize
        self._perf = time.perf_counter
        self._runtime = _runtime()
        self._stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self._host_s = 0.0
        self._events = [self._event() for _ in range(2 * _MOST_CALLS)]

    def planned(self, call: Callable[[], Any]) -> tuple[int, int]:
        """How many calls a turn of the host's clock has, and one of events."""
        device_s, call_s = self.device_s(call, 5), self.call_s(call, 5)
        one_turn_s = max(device_s, call_s) + _AHEAD_S + _FLUSH_BYTES / 3e12
        return max(1, min(_MOST_CALLS, int(_SLOT_S / max(call_s, 1e-7)))), max(1, min(_MOST_CALLS, int(_SLOT_S / one_turn_s)))

    def call_s(self, call: Callable[[], Any], count: int) -> float:
        """Seconds a call by the host's clock, over ``count`` of them."""
        self._wait()
        start_s = self._perf()
        for _ in range(count):
            call()
        self._wait()
        return (self._perf() - start_s) / count

    def device_s(self, call: Callable[[], Any], count: int) -> float:
        """Median seconds between the events around a call, of ``count`` calls, each with an L2 that holds nothing of it."""
        self._wait()
        issue_s = 0.0
        for number in range(count):
            self._flush()
            if issue_s > _AHEAD_S:
                self._sleep(int(2 * issue_s * _CLOCK_HZ))  # so that the host is through with the call before the GPU begins it
            self._record(self._events[2 * number])
            start_s = self._perf()
            call()
            issue_s = min(issue_s or 1.0, self._perf() - start_s)
            self._record(self._events[2 * number + 1])
        self._wait()
        times = sorted(self._between(self._events[2 * number], self._events[2 * number + 1]) for number in range(count))
        return times[len(times) // 2]

    def _event(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        _checked(self._runtime.cudaEventCreate(ctypes.byref(event)))
        return event

    def _record(self, event: ctypes.c_void_p) -> None:
        _checked(self._runtime.cudaEventRecord(event, self._stream))

    def _between(self, first: ctypes.c_void_p, second: ctypes.c_void_p) -> float:
        elapsed_ms = ctypes.c_float()
        _checked(self._runtime.cudaEventElapsedTime(ctypes.byref(elapsed_ms), first, second))
        return max(elapsed_ms.value * 1e-3, 1e-9)


def _runtime() -> ctypes.CDLL:
    """The CUDA runtime that PyTorch has loaded."""
    paths = {line.split()[-1] for line in Path("/proc/self/maps").read_text("utf-8").splitlines() if "libcudart" in line}
    if not paths:
        raise SideError("unsupported", "PyTorch has loaded no CUDA runtime")
    return ctypes.CDLL(min(paths))


def _checked(status: int) -> None:
    if status:
        raise SideError("crashed", f"CUDA error {status} while timing")
