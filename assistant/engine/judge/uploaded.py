"""What the hosts of both versions copy to the device: which contents correspond, and of what type they are.

Example::

    uploads_of_both(parsed, a_counted, b_counted)     # UploadsOfBoth(…), or why the uploads do not correspond
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

__all__ = ["PassedMemory", "UploadsOfBoth", "new_arguments", "uploads_of_both"]

_WORD_BYTES, _POINTER_BYTES, _DOUBLE_BYTES = 4, 8, 8


class UploadsOfBoth(Record):
    """What both versions upload."""

    uploaded: UploadedContents
    keys: Mapping[str, bytes]
    """What stands for something that both versions upload, by ``Upload.key``."""

    def others(self, drawn: NewCase) -> dict[str, bytes] | None:
        """What is uploaded in place of the program's own, by ``Upload.key``: what the draw changes; None where one version uploads parts
        of which more than one place holds."""
        contents = other_contents(self.uploaded, drawn)
        found = {key: counterpart(data, contents) for key, data in self.keys.items()}
        known = {key: other for key, other in found.items() if other is not None}
        return {key: other for key, other in known.items() if other != self.keys[key]} if len(known) == len(found) else None


def uploads_of_both(a: ParsedSource, a_counted: CountedRun, b_counted: CountedRun, struct_text: str = "") -> UploadsOfBoth | str:
    """A sentence where the uploads of the two do not correspond. ``struct_text`` has the structs, where that is not A's own."""
    readers = [reader for counted in (a_counted, b_counted) for reader in _reader(counted)]
    if len(readers) < 2:
        return "what the host copies to the device is not known"
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
    passed = PassedMemory(readers[0].recording, a, struct_text)
    pieces = tuple(passed.piece(upload, contents[0][upload.key]) for upload in shared)
    keys = {key: data for side in contents for key, data in side.items() if counterpart(data, mine) is not None}
    return UploadsOfBoth(uploaded(pieces, passed.most_places, _marks(readers[0])), keys)


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
