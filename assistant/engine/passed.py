"""Types and names of a program's device memory by the launches that it is passed to, also by pointers inside structs.

Example::

    PassedMemory(recording, subject).type_of(transfer)     # 'float', copied from what a kernel got as `view.y`
"""

from __future__ import annotations

from assistant.engine.instances import instance_parameters
from assistant.engine.subject import Subject
from assistant.model.elements import parse_element_type
from assistant.model.recording import Recording, Transfer, Upload
from assistant.model.structs import ElementLayout
from assistant.source.match import kernel_of_instance
from assistant.source.pointer_members import pointer_members
from assistant.source.struct_layouts import layout_named
from assistant.verify.numbers import guessed_type
from assistant.workload.uploads import Piece

__all__ = ["PassedMemory"]


class PassedMemory:
    """What the launches of one recording tell."""

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

    def type_of(self, item: Upload | Transfer) -> str | None:
        """The element type of the bytes, as it is spelled somewhere; None where nothing tells."""
        buffer = None if item.buffer is None else self._buffers.get(item.buffer)
        known = item.element_type or (None if buffer is None else buffer.element_type)
        return known or (None if buffer is None else self._places.get((buffer.id, item.buffer_offset_bytes), ("", None))[1])

    def layout_of(self, item: Upload | Transfer) -> ElementLayout | None:
        """Of structs, where the bytes begin with a whole one."""
        layout = layout_named(self._text, self.type_of(item))
        return layout if layout is not None and item.buffer_offset_bytes % layout.size_bytes == 0 else None

    def piece(self, upload: Upload, data: bytes) -> Piece:
        """``data``, which is what was uploaded."""
        buffer = self._buffers.get(upload.buffer)
        name = self._places.get((upload.buffer, upload.buffer_offset_bytes), (f"buffer {upload.buffer}", None))[0]
        spelled = self.type_of(upload)
        shown = buffer.symbol if buffer is not None and buffer.symbol is not None else name
        return Piece(data, parse_element_type((guessed_type(data) if spelled is None else spelled) or ""), self.layout_of(upload), shown)


def _bare(spelled: str) -> str:
    """``const ns::Table &`` → ``Table``."""
    words = [word for word in spelled.replace("&", " ").split() if word not in ("const", "struct", "volatile")]
    return (words[-1] if words else "").rpartition("::")[2]
