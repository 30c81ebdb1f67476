"""The order in which a program gives the device its work, from a recorder's log: launches, copies and fills by streams and events.

A recorder that sees streams writes each step as it is made; the GPU's own records come later, and are matched with the launches that were
recorded. Example::

    order = DeviceOrder()
    order.launched(("k(float*)", config), ["0"])
    order.steps((("k(float*)", config),))        # one step, on the default stream
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.model.launch import LaunchConfig
from assistant.model.recording import DeviceStep

__all__ = ["MOST_STEPS", "DeviceOrder"]

MOST_STEPS = 10_000
"""Steps of a program whose order is kept: reading as many takes a tenth of a second."""
_DEFAULT_STREAMS = {"0": "legacy", "2": "per_thread"}
"""Handles that every program has (``cudaStreamLegacy``, ``cudaStreamPerThread``)."""
_STREAM_KINDS = {"open_blocking": "blocking", "open_free": "non_blocking"}
_Shape = tuple[str, LaunchConfig]
"""A kernel instance and how it is launched."""


class DeviceOrder:
    """Steps, while the log's lines are read."""

    def __init__(self) -> None:
        self.stream_kinds: list[str] = []
        self.started: list[_Shape] = []
        """Every launch, in order."""
        self._steps: list[DeviceStep] = []
        self._asked: list[tuple[DeviceStep, _Shape | None]] = []
        """As the GPU's own records have them, each launch with what it launched."""
        self._streams: dict[str, int] = {}
        self._shape_numbers: dict[_Shape, int] = {}

    @property
    def is_asked(self) -> bool:
        """Whether the GPU's own records were read."""
        return bool(self._asked)

    @property
    def are_waits_seen(self) -> bool:
        return bool(self._steps) or not self._asked

    def steps(self, shapes: Sequence[_Shape]) -> tuple[DeviceStep, ...] | None:
        """All of them in order; None where there are too many, or the order is not known. ``shapes``: those that were launched, in order of
        first use."""
        return self._ordered_steps() or self._asked_steps(shapes)

    def launched(self, shape: _Shape, stream: list[str]) -> None:
        """``stream``: empty where the recorder does not see it, so that it does not see the order of everything else either."""
        if stream:
            self.add(DeviceStep("launch", self.shape_number(shape), self.stream_number(stream[0])))

    def add(self, step: DeviceStep) -> None:
        """One more than are kept shows that there are too many."""
        if len(self._steps) <= MOST_STEPS:
            self._steps.append(step)

    def ask(self, step: DeviceStep, launch: _Shape | None) -> None:
        """A step as the GPU's own records have it. ``launch``: what it launched; None: it is none."""
        self._asked.append((step, launch))

    def shape_number(self, shape: _Shape) -> int:
        return self._shape_numbers.setdefault(shape, len(self._shape_numbers))

    def stream_number(self, word: str) -> int | None:
        if word == "-":
            return None
        if word not in self._streams:
            self._open_stream(word, _DEFAULT_STREAMS.get(word, "blocking"))
        return self._streams[word]

    def call(self, f: list[str]) -> None:
        """A line about a call of the host's."""
        self.add(DeviceStep(f[0], size_bytes=int(f[1])))

    def stream_or_event(self, f: list[str]) -> None:
        """A line about what is opened, recorded or waited for."""
        kind, word, event = f[0], f[1], int(f[2]) or None
        if kind in _STREAM_KINDS:
            self._open_stream(word, _STREAM_KINDS[kind])
        elif kind.startswith("wait_"):
            self.add(DeviceStep("wait", stream=self.stream_number(word) if kind == "wait_stream" else None, event=event))
        else:
            self.add(DeviceStep(kind, stream=self.stream_number(word), event=event))

    def node(self, f: list[str]) -> None:
        """A line about a node of a graph."""
        self.add(DeviceStep("node", needs=tuple(map(int, f))))

    def _open_stream(self, word: str, kind: str) -> None:
        """A handle may come again for another stream."""
        self._streams[word] = len(self.stream_kinds)
        self.stream_kinds.append(kind)

    def _ordered_steps(self) -> tuple[DeviceStep, ...] | None:
        return tuple(self._steps) if self._steps and len(self._steps) <= MOST_STEPS else None

    def _asked_steps(self, shapes: Sequence[_Shape]) -> tuple[DeviceStep, ...] | None:
        """As the GPU's own records order them; None where their launches are not those that were recorded, one by one."""
        launched = [launch for _, launch in self._asked if launch is not None]
        if not launched or launched != self.started or len(self._asked) > MOST_STEPS:
            return None
        numbers = {shape: number for number, shape in enumerate(shapes)}
        return tuple(step if launch is None else replace(step, shape=numbers[launch]) for step, launch in self._asked)
