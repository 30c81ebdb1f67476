"""What the hosts of both versions copy to the device: which contents correspond, and of what type they are.

Example::

    uploads_of_both(subject, a_counted, b_counted)     # UploadsOfBoth(…), or why the uploads do not correspond
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.engine.counting import Counted
from assistant.engine.instances import instance_parameters
from assistant.engine.subject import Subject
from assistant.model.elements import parse_element_type
from assistant.model.recording import RecordedArgument, Recording, Upload
from assistant.source.match import kernel_of_instance
from assistant.source.pointer_members import pointer_members
from assistant.source.struct_layouts import layout_named
from assistant.verify.numbers import guessed_type
from assistant.workload.recordings import RecordingReader
from assistant.workload.uploads import Piece, Uploaded, counterpart, uploaded

__all__ = ["UploadsOfBoth", "has_new_arguments", "uploads_of_both"]

_WORD_BYTES, _POINTER_BYTES = 4, 8


@dataclass(frozen=True)
class UploadsOfBoth:
    """What both versions upload."""

    uploaded: Uploaded
    keys: Mapping[str, bytes]
    """Of both versions, by ``Upload.key``."""


def uploads_of_both(a: Subject, a_counted: Counted, b_counted: Counted) -> UploadsOfBoth | str:
    """A sentence where the uploads of the two do not correspond."""
    recordings = [counted.recording for counted in (a_counted, b_counted)]
    paths = [None if counted.run is None else counted.run.recording_path for counted in (a_counted, b_counted)]
    if any(recording is None or recording.uploads is None for recording in recordings) or None in paths:
        return "what the host copies to the device is not known"
    readers = [RecordingReader(path) for path in paths if path is not None]
    contents = [_contents(reader) for reader in readers]
    mine, theirs = ({data: data for data in side.values()} for side in contents)
    for name, side, others in (("A", 0, theirs), ("B", 1, mine)):
        for upload in _plain(readers[side].recording):
            data = contents[side][upload.key]
            if counterpart(data, others) is None and not _may_follow_from_results(upload, readers):
                return f"{name} copies contents to the device that the other version does not"
    shared = [upload for upload in _plain(readers[0].recording) if counterpart(contents[0][upload.key], theirs) is not None]
    if not shared:
        return "nothing is copied to the device"
    passed = _Passed(readers[0].recording, a)
    pieces = tuple(passed.piece(upload, contents[0][upload.key]) for upload in shared)
    return UploadsOfBoth(uploaded(pieces, passed.most_places), contents[1] | contents[0])


def _plain(recording: Recording) -> list[Upload]:
    """Without those that hold addresses, which no other run has."""
    return [upload for upload in recording.uploads or () if not upload.has_addresses]


def _contents(reader: RecordingReader) -> dict[str, bytes]:
    return {upload.key: reader.blob(upload.blob) for upload in _plain(reader.recording)}


def _may_follow_from_results(upload: Upload, readers: Sequence[RecordingReader]) -> bool:
    """Both versions upload as much behind their first results: each of its own."""
    later = [Counter(u.size_bytes for u in _plain(reader.recording) if u.transfer_count) for reader in readers]
    return upload.transfer_count > 0 and later[0] == later[1]


def has_new_arguments(a: Recording | None, b: Recording | None) -> bool:
    """Whether B's kernels are passed numbers that A's are not: its host may have taken them from the values themselves."""
    if a is None or b is None:
        return True
    sizes = [Counter(upload.size_bytes for upload in recording.uploads or () if upload.has_addresses) for recording in (a, b)]
    return sizes[0] != sizes[1] or bool(_numbers(b) - _numbers(a))


def _numbers(recording: Recording) -> set[bytes]:
    """Words of all arguments that are no addresses."""
    return {word for launch in recording.launches for argument in launch.arguments for word in _words(argument)}


def _words(argument: RecordedArgument) -> list[bytes]:
    data = bytearray.fromhex(argument.data_hex)
    for pointer in sorted(argument.pointers, key=lambda pointer: -pointer.offset_bytes):
        del data[pointer.offset_bytes : pointer.offset_bytes + _POINTER_BYTES]
    return [bytes(data[at : at + _WORD_BYTES]) for at in range(0, len(data), _WORD_BYTES)]


class _Passed:
    """Types and names of memory by the launches that it is passed to, also inside structs."""

    def __init__(self, recording: Recording, subject: Subject) -> None:
        self._text = subject.source.text
        self._buffers = {buffer.id: buffer for buffer in recording.buffers}
        self._places: dict[tuple[int, int], tuple[str, str | None]] = {}
        """(buffer, offset) → (name, element type)."""
        members = pointer_members(self._text)
        for launch in recording.launches:
            kernel = kernel_of_instance(subject.parsed, launch.kernel)
            parameters = () if kernel is None else instance_parameters(kernel, launch.kernel)
            for parameter, argument in zip(parameters, launch.arguments, strict=False):
                inside = {member.offset_bytes: member for member in members.get(_bare(parameter.type), ())}
                for pointer in argument.pointers:
                    member = inside.get(pointer.offset_bytes)
                    name = parameter.name if member is None else f"{parameter.name}.{member.name}"
                    kind = parameter.element_type if member is None else member.pointee
                    self._places.setdefault((pointer.buffer, pointer.buffer_offset_bytes), (name, kind))
        elements = ((buffer, parse_element_type(buffer.element_type or "char")) for buffer in recording.buffers)
        self.most_places = max((b.size_bytes // (1 if element is None else element.scalar_bytes) for b, element in elements), default=0)

    def piece(self, upload: Upload, data: bytes) -> Piece:
        """``data``, which is what was uploaded."""
        buffer = self._buffers.get(upload.buffer)
        name, inside = self._places.get((upload.buffer, upload.buffer_offset_bytes), (f"buffer {upload.buffer}", None))
        spelled = upload.element_type or (None if buffer is None else buffer.element_type) or inside
        layout = layout_named(self._text, spelled)
        if layout is not None and upload.buffer_offset_bytes % layout.size_bytes:
            layout = None
        shown = buffer.symbol if buffer is not None and buffer.symbol is not None else name
        return Piece(data, parse_element_type((guessed_type(data) if spelled is None else spelled) or ""), layout, shown)


def _bare(spelled: str) -> str:
    """``const ns::Table &`` → ``Table``."""
    words = [word for word in spelled.replace("&", " ").split() if word not in ("const", "struct", "volatile")]
    return (words[-1] if words else "").rpartition("::")[2]
