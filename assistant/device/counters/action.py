"""One profiled kernel of a report, in our words; the only place that calls NVIDIA's objects (untyped: ``ncu-report`` has no stubs)."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from assistant.device.counters.metrics import INSTRUCTION_METRICS, LAUNCH_METRICS, launch_metric, waits_for
from assistant.model.launch import Dim3
from assistant.model.profile import LaunchMetric
from assistant.profile.by_line import applicable
from assistant.record import Record

__all__ = ["Action", "Instruction"]

_SASS = re.compile(r"^\s*(?:(@!?U?P[T\d]+)\s+)?([A-Z][\w.]*)\s*(.*)$")


class Instruction(Record):
    """One machine instruction as the report lists it."""

    address: int
    offset_bytes: int
    predicate: str
    opcode: str
    operands: str
    file: str
    line: int


class Action:
    """A profiled launch."""

    def __init__(self, action: Any) -> None:
        self._action = action

    @cached_property
    def instance(self) -> str:
        """Demangled."""
        return self._action.name(self._action.NameBase_DEMANGLED) or self._action.name()

    @cached_property
    def symbol(self) -> str:
        """Mangled."""
        return self._action.name(self._action.NameBase_MANGLED)

    @property
    def device(self) -> str:
        return self._text("device__attribute_display_name") or "a GPU that the report does not name"

    @property
    def architecture(self) -> str:
        major, minor = (self.count(f"device__attribute_compute_capability_{part}") for part in ("major", "minor"))
        return f"sm_{major}{minor}"

    @property
    def grid(self) -> Dim3:
        return self._dimensions("grid")

    @property
    def block(self) -> Dim3:
        return self._dimensions("block")

    @property
    def dynamic_shared_bytes(self) -> int:
        return self.count("launch__shared_mem_per_block_dynamic")

    @cached_property
    def sources(self) -> dict[str, str]:
        """Path → text; an empty text where it was not imported."""
        return dict(self._action.source_files())

    def count(self, name: str) -> int:
        """A whole launch's number; 0 where the report does not have it."""
        metric = self._action.metric_by_name(name)
        return 0 if metric is None else metric.as_uint64()

    def measured(self) -> tuple[LaunchMetric, ...]:
        """The launch's own metrics that the report has, in our units."""
        found: list[LaunchMetric] = []
        for source in LAUNCH_METRICS:
            metrics = (self._action.metric_by_name(name) for name in source.ncu)
            metric = next((one for one in metrics if one is not None), None)
            known = None if metric is None else launch_metric(source, metric.as_double(), metric.unit())
            if known is not None:
                found.append(known)
        return tuple(found)

    @cached_property
    def _instructions(self) -> tuple[Instruction, ...]:
        executed = self._counters.get("executions", {})
        addresses = sorted({*executed, *(address for sampled in self._stalls.values() for address in sampled)} if executed else ())
        return tuple(self._instruction(address, address - addresses[0]) for address in addresses)

    def instructions(self) -> tuple[Instruction, ...]:
        """In the order of the code; empty in a report without counters per instruction.

        Warps that wait for their stores after EXIT are sampled on the instruction behind it, which never runs.
        """
        return self._instructions

    def counters_at(self, instruction: Instruction) -> dict[str, int]:
        """Fields of `InstructionCounters` that apply to an instruction."""
        values = {field: by_address.get(instruction.address, 0) for field, by_address in self._counters.items()}
        return applicable(instruction.opcode, values)

    def stalls_at(self, instruction: Instruction) -> tuple[tuple[str, int], ...]:
        """(reason, samples) of an instruction, as far as it was seen waiting."""
        address = instruction.address
        return tuple((reason, by_address[address]) for reason, by_address in self._stalls.items() if by_address.get(address))

    @cached_property
    def _counters(self) -> dict[str, dict[int, int]]:
        """Field → address → value, of the metrics that the report has."""
        counted = {field: self._instances(name) for field, name in INSTRUCTION_METRICS.items()}
        return {field: values for field, values in counted.items() if values is not None}

    @cached_property
    def _stalls(self) -> dict[str, dict[int, int]]:
        found: dict[str, dict[int, int]] = {}
        for name in self._action.metric_names():
            reason = waits_for(name)
            if reason is not None:
                found[reason] = self._instances(name) or {}
        return found

    def _instances(self, name: str) -> dict[int, int] | None:
        """Address → value; None where the metric was not collected."""
        metric = self._action.metric_by_name(name)
        if metric is None:
            return None
        if not metric.has_correlation_ids():
            return {}
        ids = metric.correlation_ids()
        return {ids.as_uint64(index): metric.as_uint64(index) for index in range(metric.num_instances())}

    def _instruction(self, address: int, offset_bytes: int) -> Instruction:
        match = _SASS.match(self._action.sass_by_pc(address))
        predicate, opcode, operands = (match[1] or "", match[2], match[3]) if match else ("", "", "")
        place = self._action.source_info(address)
        file, line = (place.file_name(), place.line()) if place else ("", 0)
        return Instruction(address, offset_bytes, predicate, opcode, operands.strip(), file, line)

    def _dimensions(self, what: str) -> Dim3:
        return Dim3(*(self.count(f"launch__{what}_dim_{axis}") for axis in "xyz"))

    def _text(self, name: str) -> str:
        metric = self._action.metric_by_name(name)
        return "" if metric is None else metric.as_string()
