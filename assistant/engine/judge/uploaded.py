"""What the hosts of both versions copy to the device: which contents correspond, of what type they are, and what only one of them brings.

Example::

    uploads_of_both(parsed, a_counted, b_counted)     # UploadsOfBoth(…), or why it is not known what could be varied
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.instance_parameters import instance_parameters
from assistant.cuda.match import kernel_of_instance
from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import CountedRun
from assistant.model.elements import parse_element_type
from assistant.model.recording import RecordedArgument, RecordedBuffer, Recording, Upload
from assistant.model.source import ParsedSource
from assistant.record import Record
from assistant.verify.numbers import guessed_type
from assistant.workload.marks import Marks, marks_in
from assistant.workload.recordings import NewCase, RecordingReader
from assistant.workload.uploads import Piece, UploadedContents, counterpart, other_contents, uploaded

__all__ = ["OwnUpload", "PassedMemory", "UploadsOfBoth", "new_arguments", "uploads_of_both"]

_WORD_BYTES, _POINTER_BYTES, _DOUBLE_BYTES = 4, 8, 8


class OwnUpload(Record):
    """Contents that one version uploads and the other does not: they stay as they are, whatever else is varied."""

    version: str
    """``A`` or ``B``."""
    size_bytes: int
    name: str
    """For people: of what A's are uploaded to; empty for B's."""


class UploadsOfBoth(Record):
    """What both versions upload, and what only one of them does."""

    uploaded: UploadedContents
    """What both do."""
    keys: Mapping[str, bytes]
    """What stands for something that both versions upload, by ``Upload.key``."""
    own: tuple[OwnUpload, ...] = ()

    def own_of(self, version: str) -> str | None:
        """``16,384 bytes (x)``: what that version alone uploads; None where there is nothing."""
        own = [upload for upload in self.own if upload.version == version]
        names = ", ".join(dict.fromkeys(upload.name for upload in own if upload.name))
        return f"{sum(upload.size_bytes for upload in own):,} bytes{f' ({names})' if names else ''}" if own else None

    def others(self, drawn: NewCase) -> dict[str, bytes] | None:
        """What is uploaded in place of the program's own, by ``Upload.key``: what the draw changes; None where one version uploads parts
        of which more than one place holds."""
        contents = other_contents(self.uploaded, drawn)
        found = {key: counterpart(data, contents) for key, data in self.keys.items()}
        known = {key: other for key, other in found.items() if other is not None}
        return {key: other for key, other in known.items() if other != self.keys[key]} if len(known) == len(found) else None


def uploads_of_both(a: ParsedSource, a_counted: CountedRun, b_counted: CountedRun, struct_text: str = "") -> UploadsOfBoth | str:
    """A sentence where it is not known what could be varied: nothing is uploaded, or B does without what A may have taken from its results.
    ``struct_text`` has the structs, where that is not A's own."""
    readers = [reader for counted in (a_counted, b_counted) for reader in _reader(counted)]
    if len(readers) < 2:
        return "what the host copies to the device is not known"
    contents = [_contents(reader) for reader in readers]
    mine, theirs = ({data: data for data in side.values()} for side in contents)
    passed = PassedMemory(readers[0].recording, a, struct_text)
    own = [_unshared(readers, side, contents[side], others) for side, others in enumerate((theirs, mine))]
    is_late_in_a = any(upload.transfer_count for upload in own[0].values())
    if is_late_in_a and all(upload.transfer_count for upload in own[1].values()):
        return "A copies contents to the device that the other version does not"
    shared = [upload for upload in _plain(readers[0].recording) if _is_in(contents[0][upload.key], theirs)]
    if not shared and not any(own):
        return "nothing is copied to the device"
    pieces = tuple(passed.piece(upload, contents[0][upload.key]) for upload in shared)
    sides = zip(contents, own, strict=True)
    keys = {key: data for side, of_own in sides for key, data in side.items() if data not in of_own and _is_in(data, mine)}
    of_a = (OwnUpload("A", len(data), passed.piece(upload, data).name) for data, upload in own[0].items())
    of_b = (OwnUpload("B", len(data), "") for data in own[1])
    return UploadsOfBoth(uploaded(pieces, passed.most_places, _marks(readers[0])), keys, (*of_a, *of_b))


def _unshared(
    readers: Sequence[RecordingReader], side: int, contents: Mapping[str, bytes], others: Mapping[bytes, bytes]
) -> dict[bytes, Upload]:
    """What the version of that place uploads and the other does not, by its contents."""
    found = ((contents[upload.key], upload) for upload in _plain(readers[side].recording))
    return {data: upload for data, upload in found if not _is_in(data, others) and not _may_follow_from_results(upload, readers)}


def _is_in(data: bytes, others: Mapping[bytes, bytes]) -> bool:
    return counterpart(data, others) is not None


def _reader(counted: CountedRun) -> Iterator[RecordingReader]:
    """The recording of a run whose uploads are all known."""
    run = None if counted.run is None else counted.run.under_emulator
    if run is not None and run.recording is not None and run.recording.uploads is not None and run.recording_path is not None:
        yield RecordingReader(run.recording_path, run.recording)


def _plain(recording: Recording) -> list[Upload]:
    """Without those that hold addresses, which no other run has."""
    return [upload for upload in recording.uploads or () if not upload.has_addresses]


def _contents(reader: RecordingReader) -> dict[str, bytes]:
    return {upload.key: reader.blob(upload.blob) for upload in _plain(reader.recording)}


def _marks(reader: RecordingReader) -> Marks:
    """What fills whole buffers before a launch."""
    names = {state.before for launch in reader.recording.launches for state in launch.buffers}
    return marks_in(reader.blob(name) for name in sorted(names))


def _may_follow_from_results(upload: Upload, readers: Sequence[RecordingReader]) -> bool:
    """Both versions upload as much behind their first results: each of its own."""
    later = [Counter(u.size_bytes for u in _plain(reader.recording) if u.transfer_count) for reader in readers]
    return upload.transfer_count > 0 and later[0] == later[1]


def new_arguments(a: Recording | None, b: Recording | None) -> frozenset[bytes]:
    """Numbers that B's kernels are passed and A's are not, as words: its host may have taken them from the values themselves."""
    if a is None or b is None:
        return frozenset()
    return _numbers(b) - _numbers(a)


def _numbers(recording: Recording) -> frozenset[bytes]:
    """Words of all arguments that are no addresses; 8-byte arguments as a whole."""
    return frozenset(word for launch in recording.launches for argument in launch.arguments for word in _words(argument))


def _words(argument: RecordedArgument) -> list[bytes]:
    data = bytearray.fromhex(argument.data_hex)
    for pointer in sorted(argument.pointers, key=lambda pointer: -pointer.offset_bytes):
        del data[pointer.offset_bytes : pointer.offset_bytes + _POINTER_BYTES]
    size = _DOUBLE_BYTES if len(data) == _DOUBLE_BYTES else _WORD_BYTES
    return [bytes(data[at : at + size]) for at in range(0, len(data), size)]


class PassedMemory:
    """What the launches of a recording, which has its types, tell."""

    def __init__(self, recording: Recording, parsed: ParsedSource, struct_text: str = "") -> None:
        self._text = struct_text or parsed.source.text
        self._buffers = {buffer.id: buffer for buffer in recording.buffers}
        self._names: dict[tuple[int, int], str] = {}
        """By buffer and offset."""
        for launch in recording.launches:
            kernel = kernel_of_instance(parsed, launch.kernel)
            parameters = () if kernel is None else instance_parameters(kernel, launch.kernel)
            for parameter, argument in zip(parameters, launch.arguments, strict=False):
                layout = layout_named(self._text, _bare(parameter.type))
                members = {} if layout is None else {member.offset_bytes: member.path for member in layout.members}
                for pointer in argument.pointers:
                    path = members.get(pointer.offset_bytes)
                    name = parameter.name if path is None else f"{parameter.name}.{path}"
                    self._names.setdefault((pointer.buffer, pointer.buffer_offset_bytes), name)
        self.most_places = max(map(_places, recording.buffers), default=0)

    def piece(self, upload: Upload, data: bytes) -> Piece:
        """``data``, which is what was uploaded."""
        buffer = self._buffers.get(upload.buffer)
        spelled = upload.element_type or (None if buffer is None else buffer.element_type)
        layout = layout_named(self._text, spelled)
        if layout is not None and upload.buffer_offset_bytes % layout.size_bytes:
            layout = None  # it does not begin with a whole one
        name = self._names.get((upload.buffer, upload.buffer_offset_bytes), f"buffer {upload.buffer}")
        shown = buffer.symbol if buffer is not None and buffer.symbol is not None else name
        return Piece(data, parse_element_type((guessed_type(data) if spelled is None else spelled) or ""), layout, shown)


def _places(buffer: RecordedBuffer) -> int:
    element = parse_element_type(buffer.element_type or "char")
    return buffer.size_bytes // (1 if element is None else element.scalar_bytes)


def _bare(spelled: str) -> str:
    """``const ns::Table &`` → ``Table``."""
    words = [word for word in spelled.replace("&", " ").split() if word not in ("const", "struct", "volatile")]
    return " ".join(words).rpartition("::")[2]
