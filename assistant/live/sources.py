"""Where the text of a kernel is that Python code launched: a string of a cell, or what a library keeps of it.

Strings of the captured cell come first, then those of earlier cells, newest first; then CuPy's objects, which keep their code, and
PyTorch's extensions, which keep it in the folder that they were built in; last CUDA cells, whose kernels a captured cell may call.
Nothing is imported. Example::

    texts = known_texts(code, earlier_cells, namespace)
    text_of(texts, "scale(float*, int)").where      # 'SourceModule in this cell'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType

from assistant.cuda.embedded.cell_launch import without_first_line
from assistant.cuda.embedded.find import find_alone
from assistant.cuda.match import kernel_of_instance
from assistant.cuda.parse import parse
from assistant.lab.device_text import device_part
from assistant.model.embedded import Container, EmbeddedText, EmbeddingKind, EmbeddingProblem
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.record import Record

__all__ = ["KnownText", "declined_reasons", "known_texts", "text_of"]

_BLANK_LINES = re.compile(r"\n\s*\n(?:\s*\n)+")
_TORCH_FILE = "cuda.cu"
"""What ``load_inline`` writes ``cuda_sources`` into, in addition to the library (PyTorch, ``torch/utils/cpp_extension.py``)."""


class KnownText(Record):
    """CUDA text that kernels may have been compiled from."""

    text: str
    where: str
    """For people."""
    embedded: EmbeddedText | None = None
    """Its place in the captured cell; None elsewhere."""

    @cached_property
    def parsed(self) -> ParsedSource:
        return parse(Source(Path("/notebook.cu"), self.text))

    def kernel(self, instance: str) -> Kernel | None:
        """The kernel of this text that a launched function was made from, by its demangled name."""
        return kernel_of_instance(self.parsed, instance)


def known_texts(code: str, earlier: Iterable[str], namespace: Mapping[str, object]) -> tuple[KnownText, ...]:
    """``code``: the captured cell's; ``earlier``: other cells', newest first."""
    own = (KnownText(item.text, f"{_called(item.kind)} in this cell", item) for item in _strings(code))
    others = [item for cell in earlier for item in _strings(cell)]
    strings = (KnownText(item.text, f"{_called(item.kind)} in an earlier cell") for item in others if not item.kind.is_cell_magic)
    cells = (KnownText(without_first_line(item.text), f"an earlier {item.kind.value} cell") for item in others if item.kind.is_cell_magic)
    return (*own, *strings, *_kept_by_objects(namespace), *cells)


def text_of(texts: Sequence[KnownText], instance: str) -> KnownText | None:
    """The first text that has the kernel of that demangled name."""
    return next((text for text in texts if text.kernel(instance) is not None), None)


def declined_reasons(code: str) -> tuple[str, ...]:
    """Why strings of the cell that are given to a compiler cannot be read."""
    return tuple(
        f"{_called(item.kind)}: {item.reason}" for item in find_alone(code, Container.NOTEBOOK_CELL) if isinstance(item, EmbeddingProblem)
    )


def _strings(code: str) -> Iterator[EmbeddedText]:
    for item in find_alone(code, Container.NOTEBOOK_CELL):
        if isinstance(item, EmbeddedText):
            yield item


def _called(kind: EmbeddingKind) -> str:
    return kind.value.rpartition(".")[2]


def _kept_by_objects(namespace: Mapping[str, object]) -> Iterator[KnownText]:
    for value in tuple(namespace.values()):
        library = type(value).__module__.partition(".")[0]
        code = getattr(value, "code", None) if library == "cupy" else None
        if isinstance(code, str) and "__global__" in code:
            yield KnownText(code, f"{type(value).__name__}.code")
        elif isinstance(value, ModuleType):
            yield from _of_extension(value)


def _of_extension(module: ModuleType) -> Iterator[KnownText]:
    """The device part of what PyTorch built the module from: the rest calls PyTorch, which no other compiler run has."""
    place = getattr(module, "__file__", None)
    file = Path(place).with_name(_TORCH_FILE) if isinstance(place, str) and place.endswith(".so") else None
    if file is None or not file.is_file():
        return
    text = device_part(Source(file, file.read_text("utf-8", "replace"))).text
    yield KnownText(_BLANK_LINES.sub("\n\n", text).strip() + "\n", f"the device part of what load_inline built {module.__name__} from")
