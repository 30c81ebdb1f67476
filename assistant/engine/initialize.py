"""``kernelopt init``: a workload block to start from, put before the kernel it is for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assistant.engine.files import replace_text
from assistant.engine.subject import read_source
from assistant.errors import UsageError
from assistant.model.source import ParsedSource
from assistant.source.match import select_kernels
from assistant.source.parse import parse
from assistant.workload.blocks import find_blocks
from assistant.workload.init import write_block

__all__ = ["Initialized", "initialized", "initialized_text"]


@dataclass(frozen=True)
class Initialized:
    """A block and the text that would hold it."""

    path: Path
    name: str
    block: str
    text: str

    def write(self) -> None:
        """Put it into the file; raises CannotAnswerError where that is not possible."""
        replace_text(self.path, self.text)


def initialized(path: Path, selector: str | None) -> Initialized:
    """A block for the selected kernel, or the only one. Raises UsageError where the choice is not clear or a block is there."""
    return initialized_text(parse(read_source(path)), selector)


def initialized_text(parsed: ParsedSource, selector: str | None) -> Initialized:
    """The same for a text that need not be on disk. Raises as ``initialized`` does."""
    source, path = parsed.source, parsed.source.path
    kernels = parsed.kernels if selector is None else select_kernels(parsed, selector)
    if len(kernels) != 1:
        names = ", ".join(kernel.key for kernel in parsed.kernels) or "none"
        raise UsageError(f"{path} has {len(kernels)} kernels that could be meant", f"choose one with --kernel: {names}")
    if find_blocks(source.text):
        raise UsageError(f"{path} already declares a workload", "edit the block that is there")
    kernel = kernels[0]
    block = write_block(source.text, kernel, next(iter(parsed.launch_sites_of(kernel)), None))
    start = source.text.rfind("\n", 0, kernel.span.start) + 1
    text = f"{source.text[:start]}{block.rstrip()}\n\n{source.text[start:]}"
    return Initialized(path, kernel.name, block, text)
