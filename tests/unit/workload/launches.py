"""Recorded launches of one kernel, made of arrays and integers."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

from assistant.model.launch import LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Parameter, Span
from assistant.model.workload import CaseOrigin
from assistant.workload.recordings import NewCase, blob_name

NAMES = {"uint8": "unsigned char", "int32": "int", "float32": "float", "uint64": "unsigned long long"}


def parameter(name: str, kind: str) -> Parameter:
    is_pointer = kind.endswith("*")
    return Parameter(name, kind, Span(0, 0), is_pointer, False, False, kind[:-2] if is_pointer else None)


def launched(config: LaunchConfig, integers: Mapping[str, int], *buffers: np.ndarray) -> tuple[NewCase, tuple[Parameter, ...]]:
    """A launch k(buffer 0, buffer 1, …, integers …)."""
    data = [values.tobytes() for values in buffers]
    pointers = [RecordedArgument(8, bytes(8).hex(), (PointerField(0, index, 0),)) for index in range(len(buffers))]
    numbers = [RecordedArgument(4, struct.pack("<i", value).hex(), ()) for value in integers.values()]
    states = tuple(BufferState(index, blob_name(content), None) for index, content in enumerate(data))
    launch = RecordedLaunch(0, "k", config, (*pointers, *numbers), states, "k.cu", 1)
    recorded = tuple(RecordedBuffer(i, v.nbytes, i << 40, None, "device", (), NAMES[str(v.dtype)]) for i, v in enumerate(buffers))
    case = NewCase(
        Recording(recorded, (launch,), (), ()),
        {blob_name(content): content for content in data},
        (0,),
        CaseOrigin("recorded", "own", 0, 1.0, 1.0),
    )
    types = [parameter(f"p{index}", f"{NAMES[str(values.dtype)]} *") for index, values in enumerate(buffers)]
    return case, (*types, *(parameter(name, "int") for name in integers))
