"""Checks launch arguments against what the kernel takes, and packs them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["checked_arguments", "packed_arguments"]


def checked_arguments(arguments: Sequence[bytes], parameters: Sequence[tuple[int, int]]) -> tuple[bytes, ...]:
    """The arguments as they are; raises ValueError where their number or sizes are not those of ``parameters`` (offset, size)."""
    if len(arguments) != len(parameters):
        raise ValueError(f"the kernel takes {len(parameters)} arguments, not {len(arguments)}")
    for index, (argument, (_, size)) in enumerate(zip(arguments, parameters, strict=True)):
        if len(argument) != size:
            raise ValueError(f"argument {index} has {size} bytes, not {len(argument)}")
    return tuple(bytes(argument) for argument in arguments)


def packed_arguments(arguments: Sequence[bytes], parameters: Sequence[tuple[int, int]]) -> bytes:
    """One buffer with every argument at its parameter's offset (CUDA driver API, CU_LAUNCH_PARAM_BUFFER_POINTER)."""
    buffer = bytearray(max((offset + size for offset, size in parameters), default=0))
    for argument, (offset, size) in zip(arguments, parameters, strict=True):
        buffer[offset : offset + size] = argument
    return bytes(buffer)
