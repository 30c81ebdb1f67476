"""Names for people of a program's device memory: what its kernels call it, also as a pointer inside a struct.

Example::

    PassedMemory(recording, version).piece(upload, data).name     # 'view.y'
"""

from __future__ import annotations

from assistant.cuda.match import kernel_of_instance
from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate.instances import instance_parameters
from assistant.engine.source_version import SourceVersion
from assistant.model.elements import parse_element_type
from assistant.model.recording import RecordedBuffer, Recording, Upload
from assistant.verify.numbers import guessed_type
from assistant.workload.uploads import Piece

__all__ = ["PassedMemory"]


class PassedMemory:
    """What the launches of one recording, which has its types, tell."""

    def __init__(self, recording: Recording, version: SourceVersion) -> None:
        self._text = version.source.text
        self._buffers = {buffer.id: buffer for buffer in recording.buffers}
        self._names: dict[tuple[int, int], str] = {}
        """By buffer and offset."""
        for launch in recording.launches:
            kernel = kernel_of_instance(version.parsed, launch.kernel)
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
    return (words[-1] if words else "").rpartition("::")[2]
