"""The log that a recorder writes while a program runs, as a recording: ``recording.json`` next to ``blobs/<sha256>``.

The emulator's core and the library that captures launches on a GPU write the same lines; ``emulator/runtime/record.h`` describes
them. What stands for a function differs (an address, a symbol): the reader of a log brings the names.

Example::

    finish_recording(folder, LogNames(lambda word: symbolizer.function_name(int(word))))
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from urllib.parse import unquote

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import (
    BufferState,
    DeviceOperations,
    DeviceStep,
    Overtaking,
    PassedArguments,
    PointerField,
    RecordedArgument,
    RecordedBuffer,
    RecordedLaunch,
    Recording,
    ShapeCount,
    Transfer,
    Upload,
)
from assistant.record import Record
from assistant.serialize import dumps
from assistant.workload.not_kept import launches_not_kept
from assistant.workload.passed_types import PassedTypes
from assistant.workload.recorded_blobs import rename_blobs, share_blobs
from assistant.workload.recorded_order import DeviceOrder

__all__ = ["LogNames", "finish_recording", "rename_blobs"]

_TOO_LARGE = "launch reaches more memory than the limit"  # as both recorders say it (``record.cpp``, ``recorder.cpp``)
_MOST_PASSED = 1024
"""Different sets of arguments that are kept of launches without contents."""


class LogNames(Record):
    """What a log's words stand for."""

    function: Callable[[str], str]
    """A word for a function → its demangled name without the return type."""
    variable: Callable[[str], str] = str
    """The symbol of a device variable → its name in the source."""
    variable_types: Mapping[str, str] = field(default_factory=dict[str, str])
    """Element types of device variables by name (without namespaces), for logs that have none."""


def finish_recording(folder: Path, names: LogNames, added_notes: tuple[str, ...] = (), shared: Path | None = None) -> Recording:
    """Turns the log into ``recording.json`` and gives the blobs their final names; no log gives an empty recording.

    ``shared``: a folder for the blobs of several recordings on the same file system, so that equal ones take the disk's space once.
    Raises OSError where the disk was full: what is missing then looks as if the program had never had it.
    """
    log = folder / "log"
    (folder / "blobs").mkdir(parents=True, exist_ok=True)
    reader = _LogReader(folder, rename_blobs(folder / "blobs"), names)
    if shared is not None:
        share_blobs(folder / "blobs", shared)
    if log.exists():
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            reader.read(line.split(" "))
        log.unlink()
    recording = reader.recording(added_notes)
    staged = folder / "recording.json.tmp"
    staged.write_text(dumps(recording), encoding="utf-8")
    staged.replace(folder / "recording.json")
    return recording


@dataclass
class _OpenLaunch:
    """A launch whose lines are being read."""

    launch: RecordedLaunch
    after: dict[int, str] = field(default_factory=dict[int, str])
    poisoned: set[int] = field(default_factory=set[int])
    has_failed: bool = False


@dataclass
class _PassedLaunch:
    """What a launch without contents was passed, while its lines are being read."""

    kernel: str
    config: LaunchConfig
    arguments: list[RecordedArgument] = field(default_factory=list[RecordedArgument])


class _LogReader:
    def __init__(self, folder: Path, blobs: dict[str, str], names: LogNames) -> None:
        self._folder = folder
        self._blobs = blobs
        self._names = names
        self._buffers: dict[int, RecordedBuffer] = {}
        self._launches: list[_OpenLaunch] = []
        self._transfers: list[tuple[int, Transfer]] = []
        self._notes: list[str] = []
        self._skipped: Counter[tuple[str, LaunchConfig, str]] = Counter()
        self._passed: list[_PassedLaunch] = []
        self._shapes: Counter[tuple[str, LaunchConfig]] = Counter()
        self._times_ns: Counter[tuple[str, LaunchConfig]] = Counter()
        self._operations: dict[str, DeviceOperations] = {}
        self._operation_times_ns: Counter[str] = Counter()
        self._sees_operations = False
        self._overtaken: list[Overtaking] = []
        self._uploads: list[Upload] = []
        self._are_uploads_cut = False
        self._uploaded_names: list[str] = []
        self._uploaded_count = 0
        self._order = DeviceOrder()
        self._first_partial: int | None = None
        self._last_skipped = 0

    def read(self, words: list[str]) -> None:
        """One line; unknown or cut-off lines (the program was killed) are left out."""
        item, *fields = words
        readers = {
            "buffer": self._buffer,
            "launch": self._launch,
            "skipped": self._skip,
            "argument": self._argument,
            "argument_pointer": self._argument_pointer,
            "passed": self._passed_argument,
            "passed_pointer": self._passed_pointer,
            "before": self._before,
            "after": self._after,
            "pointer": self._pointer,
            "poisoned": self._poisoned,
            "failed": self._failed,
            "cut": self._cut,
            "left_out": self._left_out,
            "cooperative": self._cooperative,
            "cluster": self._cluster,
            "launching": self._launching,
            "time": self._time,
            "transfer": self._transfer,
            "operation": self._operation,
            "call": self._order.call,
            "order": self._order.stream_or_event,
            "node": self._order.node,
            "step": self._timed_step,
            "steps": self._summed_steps,
            "asked": self._ask,
            "overtook": self._overtook,
            "upload": self._upload,
            "uploads_cut": self._cut_uploads,
            "uploaded": self._upload_name,
            "sees_operations": self._sees,
            "note": self._note,
            "unwritten": self._unwritten,
        }
        try:
            if item in readers:
                readers[item](fields)
        except (ValueError, IndexError, KeyError):
            self._notes.append(f"a damaged line of the recording was left out: {item}")

    def recording(self, added_notes: tuple[str, ...]) -> Recording:
        notes = list(dict.fromkeys(self._notes))
        notes += launches_not_kept(self._skipped)
        for entry in self._launches:
            if entry.has_failed:
                notes.append(f"launch {entry.launch.index} of {entry.launch.kernel} failed; its results are not kept")
        shapes = tuple(ShapeCount(*shape, count, self._times_ns.get(shape)) for shape, count in self._shapes.items())
        buffers = tuple(self._buffers[key] for key in sorted(self._buffers))
        if self._first_partial is not None and self._launches:
            self._launches[-1] = _ended_early(self._launches[-1])
        launches = tuple(_closed(entry) for entry in self._launches)
        passed = PassedTypes(launches)
        transfers = tuple(passed.typed_transfer(transfer) for _, transfer in sorted(self._transfers, key=itemgetter(0)))
        times_ns = self._operation_times_ns
        operations = tuple(replace(each, time_ns=times_ns.get(each.kind)) for each in self._operations.values())
        sees_uploads = self._sees_operations and not self._are_uploads_cut and not self._order.is_asked
        uploaded_count = 0 if "copy_to_device" not in self._operations else self._operations["copy_to_device"].count
        is_named = self._order.is_asked or (self._sees_operations and self._are_uploads_cut)
        sees_names = is_named and uploaded_count == self._uploaded_count
        return Recording(
            passed.typed_buffers(buffers),
            launches,
            transfers,
            (*notes, *added_notes),
            shape_counts=shapes,
            operations=operations if self._sees_operations else None,
            passed=_counted(self._passed),
            overtaken=tuple(self._overtaken),
            uploads=tuple(passed.typed_upload(upload) for upload in self._uploads) if sees_uploads else None,
            steps=self._order.steps(tuple(self._shapes)),
            uploaded_names=tuple(self._uploaded_names) if sees_names else None,
            first_partial=self._first_partial,
            are_waits_seen=self._order.are_waits_seen,
            too_large=tuple(dict.fromkeys(kernel for kernel, _, reason in self._skipped if reason == _TOO_LARGE)),
            stream_kinds=tuple(self._order.stream_kinds),
        )

    def _buffer(self, f: list[str]) -> None:
        identity = int(f[0])
        symbol = _text(f[4])
        name = None if symbol is None else self._names.variable(symbol)
        element_type = _text(f[5]) or self._names.variable_types.get((name or "").rpartition("::")[2])
        self._buffers[identity] = RecordedBuffer(identity, int(f[2]), int(f[1]), name, f[3], element_type=element_type)

    def _header(self, f: list[str]) -> tuple[int, str, LaunchConfig]:
        kernel, config = self._names.function(f[1]), _config(f[2:9])
        self._shapes[kernel, config] += 1
        self._order.started.append((kernel, config))
        return int(f[0]), kernel, config

    def _launch(self, f: list[str]) -> None:
        index, kernel, config = self._header(f)
        self._launches.append(_OpenLaunch(RecordedLaunch(index, kernel, config, (), (), _text(f[10]) or "", int(f[9]))))
        self._order.launched((kernel, config), f[11:])

    def _skip(self, f: list[str]) -> None:
        self._last_skipped, kernel, config = self._header(f)
        if self._passed and not self._passed[-1].arguments:
            self._passed.pop()  # of a program that launches millions of times, only the first ones' are written
        self._passed.append(_PassedLaunch(kernel, config))
        self._skipped[kernel, config, _text(f[9]) or ""] += 1
        self._order.launched((kernel, config), f[10:])

    def _argument(self, f: list[str]) -> None:
        self._change(arguments=(*self._last.arguments, _argument(f)))

    def _argument_pointer(self, f: list[str]) -> None:
        arguments = list(self._last.arguments)
        _add_pointer(arguments, f)
        self._change(arguments=tuple(arguments))

    def _passed_argument(self, f: list[str]) -> None:
        self._passed[-1].arguments.append(_argument(f))

    def _passed_pointer(self, f: list[str]) -> None:
        _add_pointer(self._passed[-1].arguments, f)

    def _before(self, f: list[str]) -> None:
        self._change(buffers=(*self._last.buffers, BufferState(int(f[0]), self._blobs[f[1]], None)))

    def _after(self, f: list[str]) -> None:
        self._launches[-1].after[int(f[0])] = self._blobs[f[1]]

    def _pointer(self, f: list[str]) -> None:
        container, offset, target, target_offset = map(int, f)
        buffer = self._buffers[container]
        pointer = PointerField(offset, target, target_offset)
        known = tuple(p for p in buffer.pointers if p.offset_bytes != offset)
        self._buffers[container] = replace(buffer, pointers=(*known, pointer))

    def _poisoned(self, f: list[str]) -> None:
        self._launches[-1].poisoned.add(int(f[0]))

    def _failed(self, f: list[str]) -> None:
        self._launches[-1].has_failed = True

    def _cut(self, f: list[str]) -> None:
        self._launches[-1].launch = replace(self._last, blocks_run=int(f[0]))
        self._note_partial(self._last.index)

    def _left_out(self, f: list[str]) -> None:
        self._note_partial(self._last_skipped)

    def _note_partial(self, index: int) -> None:
        self._first_partial = index if self._first_partial is None else min(index, self._first_partial)

    def _cooperative(self, f: list[str]) -> None:
        self._launches[-1].launch = replace(self._last, is_cooperative=True)

    def _cluster(self, f: list[str]) -> None:
        self._launches[-1].launch = replace(self._last, cluster=Dim3(*map(int, f[:3])))

    def _launching(self, f: list[str]) -> None:
        self._notes.append(f"{self._names.function(f[0])} may launch kernels on the device: those launches cannot be captured")

    def _time(self, f: list[str]) -> None:
        self._times_ns[self._names.function(f[0]), _config(f[1:8])] += int(f[8])

    def _transfer(self, f: list[str]) -> None:
        buffer = int(f[5])
        place = (None, 0) if buffer < 0 else (buffer, int(f[6]))
        issued = int(f[7]) if len(f) > 7 else 0  # of a late run, where they come in another order
        self._transfers.append((issued, Transfer(f[0], self._blobs[f[1]], int(f[2]), int(f[3]), _text(f[4]), *place)))

    def _upload(self, f: list[str]) -> None:
        size, buffer, offset, has_addresses = map(int, f[1:5])
        self._uploads.append(Upload(f[0], self._blobs[f[0]], size, buffer, offset, has_addresses == 1, len(self._transfers)))
        self._upload_name(["-" if has_addresses else f[0]])

    def _upload_name(self, f: list[str]) -> None:
        """Addresses differ from run to run, so that bytes with some have no name."""
        self._uploaded_count += 1
        self._uploaded_names.extend([] if f[0] == "-" else f[:1])

    def _cut_uploads(self, f: list[str]) -> None:
        self._are_uploads_cut = True

    def _sees(self, f: list[str]) -> None:
        self._sees_operations = True

    def _operation(self, f: list[str]) -> None:
        known = self._operations.get(f[0], DeviceOperations(f[0], 0, 0))
        self._operations[f[0]] = DeviceOperations(f[0], known.count + int(f[1]), known.size_bytes + int(f[2]))
        if len(f) > 3:
            is_waited, is_pinned = (f[4] == "1", f[5] == "1") if len(f) > 5 else (False, None)
            stream = self._order.stream_number(f[3])
            self._order.add(DeviceStep(f[0], stream=stream, size_bytes=int(f[2]), is_waited=is_waited, is_pinned=is_pinned))

    def _timed_step(self, f: list[str]) -> None:
        kind, size_bytes, start_ns, end_ns = f[0], *map(int, f[2:5])
        shape = -1
        if kind == "launch":
            kernel, config = self._names.function(f[5]), _config(f[6:13])
            self._shapes[kernel, config] += 1
            self._times_ns[kernel, config] += end_ns - start_ns
            shape = self._order.shape_number((kernel, config))
        else:
            self._operation_times_ns[kind] += end_ns - start_ns
        self._order.add(DeviceStep(kind, shape, self._order.stream_number(f[1]), size_bytes, start_ns, end_ns))

    def _summed_steps(self, f: list[str]) -> None:
        kind, count, time_ns = f[0], int(f[1]), int(f[2])
        if kind == "launch":
            kernel, config = self._names.function(f[3]), _config(f[4:11])
            self._shapes[kernel, config] += count
            self._times_ns[kernel, config] += time_ns
        else:
            self._operation_times_ns[kind] += time_ns

    def _ask(self, f: list[str]) -> None:
        launch = (self._names.function(f[3]), _config(f[4:11])) if f[0] == "launch" else None
        self._order.ask(DeviceStep(f[0], -1, self._order.stream_number(f[1]), int(f[2])), launch)

    def _overtook(self, f: list[str]) -> None:
        first, earlier = (self._names.function(word) if kind == "launch" else kind for kind, word, _ in (f[:3], f[3:6]))
        self._overtaken.append(Overtaking(first, int(f[2]), earlier, int(f[5])))

    def _unwritten(self, f: list[str]) -> None:
        raise OSError(int(f[0]), os.strerror(int(f[0])), str(self._folder))

    def _note(self, f: list[str]) -> None:
        self._notes.append(_text(f[0]) or "")

    @property
    def _last(self) -> RecordedLaunch:
        return self._launches[-1].launch

    def _change(self, *, arguments: tuple[RecordedArgument, ...] | None = None, buffers: tuple[BufferState, ...] | None = None) -> None:
        last = self._last
        self._launches[-1].launch = replace(
            last,
            arguments=last.arguments if arguments is None else arguments,
            buffers=last.buffers if buffers is None else buffers,
        )


def _ended_early(last: _OpenLaunch) -> _OpenLaunch:
    """The last launch of a program that was ended for lack of time may have been under way."""
    is_whole = bool(last.after) or last.has_failed or not last.launch.buffers or last.launch.blocks_run is not None
    return last if is_whole else replace(last, launch=replace(last.launch, blocks_run=0))


def _closed(entry: _OpenLaunch) -> RecordedLaunch:
    states = (replace(b, after=entry.after.get(b.buffer), is_poisoned=b.buffer in entry.poisoned) for b in entry.launch.buffers)
    return replace(entry.launch, buffers=tuple(states))


def _argument(f: list[str]) -> RecordedArgument:
    return RecordedArgument(int(f[0]), "" if f[1] == "-" else f[1], ())


def _add_pointer(arguments: list[RecordedArgument], f: list[str]) -> None:
    index, offset, buffer, target_offset = map(int, f)
    arguments[index] = replace(arguments[index], pointers=(*arguments[index].pointers, PointerField(offset, buffer, target_offset)))


def _counted(launches: list[_PassedLaunch]) -> tuple[PassedArguments, ...]:
    """Launches that were passed the same as one; those without arguments were not written down."""
    found = Counter((passed.kernel, passed.config, tuple(passed.arguments)) for passed in launches if passed.arguments)
    return tuple(PassedArguments(*what, count) for what, count in list(found.items())[:_MOST_PASSED])


def _config(words: list[str]) -> LaunchConfig:
    numbers = [int(word) for word in words]
    return LaunchConfig(Dim3(*numbers[:3]), Dim3(*numbers[3:6]), numbers[6])


def _text(word: str) -> str | None:
    return None if word == "-" else unquote(word)
