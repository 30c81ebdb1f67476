"""What the CUDA compiler made of one kernel: its machine code as text, and how many warps of a launch an SM holds at once.

Example::

    sass_of(build, "scale(float*, float const*, int)")          # "/*0000*/ LDC R1, c[0x0][0x28]  // line 1"
"""

from __future__ import annotations

from assistant.build.architectures import architecture
from assistant.build.occupancy import occupancy
from assistant.cuda.same_names import plain_instance
from assistant.model.build import Build, BuildResult, KernelResources, Occupancy, SassInstruction
from assistant.model.launch import LaunchConfig

__all__ = ["occupancy_of", "resources_of", "sass_of"]


def resources_of(build: BuildResult, symbol: str) -> KernelResources | None:
    """As ptxas reports them; None without a CUDA compiler, and where only a launch would have the compiler make the instance."""
    found = build.resources if isinstance(build, Build) else ()
    return next((resources for resources in found if plain_instance(resources.kernel) == plain_instance(symbol)), None)


def sass_of(build: BuildResult, symbol: str) -> str | None:
    """One instruction a line, with its offset in bytes and its line of the text; None where it was not read."""
    code = (
        next((code for code in build.code if plain_instance(code.kernel) == plain_instance(symbol)), None)
        if isinstance(build, Build)
        else None
    )
    return None if code is None else "\n".join(map(_in_one_line, code.instructions))


def occupancy_of(build: BuildResult, symbol: str, config: LaunchConfig) -> Occupancy | None:
    """Theoretical, by the limits of the architecture that the kernel was compiled for; None where its registers are not known."""
    resources = resources_of(build, symbol)
    limits = architecture(build.architecture) if isinstance(build, Build) else None
    if resources is None or limits is None:
        return None
    return occupancy(
        limits,
        threads_per_block=config.block.count,
        registers_per_thread=resources.registers_per_thread,
        shared_bytes=resources.static_shared_bytes + config.shared_bytes,
    )


def _in_one_line(instruction: SassInstruction) -> str:
    words = " ".join(part for part in (instruction.predicate, instruction.opcode, instruction.operands) if part)
    place = f"  // line {instruction.line}" if instruction.line else ""
    return f"/*{instruction.offset_bytes:04x}*/ {words}{place}"
