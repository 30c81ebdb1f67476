"""What a judge of operators looks at: what the reference and the candidate left on the same inputs, as bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from assistant.model.elements import ElementType
from assistant.model.profile import Problem
from assistant.operators.host_access import HostAccess
from assistant.operators.tampering import Tampering
from assistant.record import Record
from assistant.verify.numbers import FloatArray, element_of, floats

__all__ = ["CandidateCase", "Evidence", "Failure", "LibraryKernel", "Pass", "ReferenceCase", "Seen", "TensorLeft", "layout_in_words"]

_CUDA_NAMES = {
    "float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16", "int64": "long long", "int32": "int",
    "int16": "short", "int8": "signed char", "uint8": "unsigned char",
}  # fmt: skip


class TensorLeft(Record, eq=False):
    """One tensor: its elements row by row, whatever its layout is."""

    dtype: str
    """PyTorch's name (``float32``)."""
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    data: bytes

    @property
    def element(self) -> ElementType:
        return element_of(_CUDA_NAMES.get(self.dtype), len(self.data))

    @property
    def is_floating(self) -> bool:
        return self.element.is_floating

    @property
    def values(self) -> FloatArray:
        """As float64; of floating types and integers."""
        return floats(self.data, self.element)

    @property
    def patterns(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.data, np.uint8)


def layout_in_words(tensor: TensorLeft) -> str:
    return f"{tensor.dtype}{list(tensor.shape)}"


class Failure(Record):
    """Why a side returned nothing."""

    kind: str
    """``raised``, ``bad_inputs``, ``bad_output``, ``state_differs``, ``bad_task``, ``unsupported``, ``too_large``, ``no_torch``,
    ``crashed``, ``timed_out``, ``out_of_memory``."""
    message: str


class ReferenceCase(Record, eq=False):
    """The reference on one set of inputs."""

    kind: str
    """``given`` (the task's own), ``scaled``, ``normal`` (other values), ``layout`` (not contiguous), ``size``, ``empty`` (other sizes),
    ``edge`` (NaN, infinities, denormals)."""
    scale: float
    shape: str
    """In words."""
    seed: int
    outputs: tuple[TensorLeft, ...]
    """What it returned, then the buffers of its state."""
    repeated: tuple[TensorLeft, ...]
    """The same of a second call on equal inputs."""
    output_count: int
    float64: tuple[TensorLeft, ...] | None
    """The same computed in float64; None where it does not run in that type."""
    perturbed: tuple[tuple[TensorLeft, ...], ...]
    """Of inputs moved by one unit in the last place: how far the result hangs on their rounding."""
    inputs_after: tuple[str, ...]
    """What identifies the contents of the input tensors afterwards."""
    term_count: float
    """How many inputs and weights there are for each element that it returns."""
    buffers: tuple[str, ...] = ()
    """Names of the buffers, as the state has them."""
    gradients: Mapping[str, TensorLeft] = field(default_factory=dict[str, TensorLeft])
    gradients64: Mapping[str, TensorLeft] = field(default_factory=dict[str, TensorLeft])


class Pass(Record, eq=False):
    """The candidate on one case, in one of two passes."""

    failure: Failure | None
    outputs: tuple[TensorLeft, ...] = ()
    output_count: int = 0
    inputs_after: tuple[str, ...] = ()
    is_late: bool = False
    """An output still changed after the call had returned."""
    shares_memory: bool = False
    """An output lies where one of the call before lies, which is still in use."""
    gradients: Mapping[str, TensorLeft] = field(default_factory=dict[str, TensorLeft])
    work: tuple[tuple[str, int], ...] = ()
    """ATen functions that computed, and ``calls`` of the extension's, with how often."""


class CandidateCase(Record, eq=False):
    first: Pass
    """In order, on tensors that hold other values from call to call."""
    second: Pass
    """In the opposite order, on fresh tensors."""
    is_first_of_model: bool
    """What a model does once, it may do here."""


class LibraryKernel(Record):
    """Kernels of one name that no text of the candidate holds."""

    name: str
    launch_count: int
    time_ratio: float
    """Their share of the time that all kernels take on the GPU, 0..1."""


class Seen(Record):
    """What was seen of a candidate's kernels while they ran."""

    problems: tuple[Problem, ...] = ()
    """What the emulator saw wrong."""
    launch_count: int | None = 0
    """Kernels of its own that ran; None where that is not known."""
    works_aside: bool = False
    """It returns while kernels on streams of its own may still run."""
    host_accesses: tuple[HostAccess, ...] = ()
    """Host code of its extensions that reads or writes tensors itself, at lines of the candidate's file; 0 where they are not known."""
    library_kernels: tuple[LibraryKernel, ...] = ()
    is_on_gpu: bool = False


class Evidence(Record, eq=False):
    """Everything that is known of both sides."""

    reference: tuple[ReferenceCase, ...]
    candidate: tuple[CandidateCase, ...]
    failure: Failure | None
    """Of the candidate as a whole: it could not be loaded, built or given its weights."""
    tampering: tuple[Tampering, ...]
    replaced: tuple[str, ...]
    """Functions that were others after the candidate had run."""
    reads_reference: bool
    seen: Seen
    lowers_precision: bool
    """Its text names a type of 16 bits where the task has none."""
    only_custom: bool
    """Functions of PyTorch that compute are not allowed."""
    is_backward: bool
    dropped: tuple[str, ...]
    caveats: tuple[str, ...]
    fixed_sizes: tuple[str, ...] = ()
    """Sizes that the model's constructor reads, and that had one value in all cases."""
