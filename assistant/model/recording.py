"""A recording: launches of kernels with every buffer they can reach, before and after; replayable on any lab.

On disk a recording is a folder: ``recording.json`` (these types, field by field) next to ``blobs/<sha256>`` (raw bytes).
Declared workloads and fresh-value variants use the same format, with ``after`` left empty.
"""

from __future__ import annotations

from assistant.model.launch import Dim3, LaunchConfig
from assistant.record import Record

SCHEMA_VERSION = 1
STEP_WORDS = {
    "copy_to_device": ("copy to the GPU", "copies to the GPU"),
    "copy_to_host": ("copy to the host", "copies to the host"),
    "copy_on_device": ("copy on the GPU", "copies on the GPU"),
    "fill": ("fill", "fills"),
    "allocation": ("allocation", "allocations"),
    "free": ("free", "frees"),
    "wait": ("wait of the host", "waits of the host"),
}
"""Kinds of ``DeviceStep`` but launches: what one and what several are called."""

HOST_COPIES = frozenset({"copy_to_device", "copy_to_host"})
"""Kinds of ``DeviceStep`` that go over the link between host and device."""
WORK_KINDS = HOST_COPIES | {"launch", "copy_on_device", "fill"}
"""Kinds of ``DeviceStep`` that are work of a device's; the others are memory, and waits of the host."""


class PointerField(Record):
    """A device pointer found inside an argument or buffer."""

    offset_bytes: int
    """Where the pointer stands inside its container."""
    buffer: int
    """Id of the buffer it points into."""
    buffer_offset_bytes: int


class RecordedArgument(Record):
    """One kernel argument: its raw bytes and the pointers inside them."""

    size_bytes: int
    data_hex: str
    pointers: tuple[PointerField, ...]


class BufferState(Record):
    """Contents of a buffer before and after a launch."""

    buffer: int
    before: str
    """sha256 of the contents before the launch; names the file in ``blobs/``."""
    after: str | None
    """sha256 after the launch; None when the launch has not been run."""
    is_poisoned: bool = False
    """Nothing had written the buffer before this launch (known when recorded under ``check``)."""


class RecordedBuffer(Record):
    """One device allocation or device symbol."""

    id: int
    size_bytes: int
    address: int
    """Device address when it was recorded; replay uses it only where a buffer holds pointers."""
    symbol: str | None
    """Name of the ``__device__``/``__constant__``/``__managed__`` variable; None for an allocation."""
    space: str
    """``device``, ``constant``, ``managed``, or ``host`` for page-locked memory of the host's, which replays put into device memory."""
    pointers: tuple[PointerField, ...] = ()
    """Pointers stored inside the buffer itself (one level)."""
    element_type: str | None = None
    """C type of the elements where known (``float``); else None."""
    is_poisoned: bool = False
    """Contents before the launch are arbitrary (an ``empty(…)`` argument, or never read before written)."""
    is_fixed: bool = False
    """What it holds is part of the program's text: a constant that its initializer alone sets."""


class RecordedLaunch(Record):
    """One launch, with everything needed to run it again."""

    index: int
    """Position in the program's launch order, 0-based."""
    kernel: str
    """Demangled symbol: qualified name, template arguments, parameter types (``tr<1>(float*, float const*, int)``)."""
    config: LaunchConfig
    arguments: tuple[RecordedArgument, ...]
    buffers: tuple[BufferState, ...]
    file: str
    line: int
    """Launch site in the program; line 0 for a declared launch, and where a capture cannot tell."""
    is_cooperative: bool = False
    """All its blocks must run at once: it was started by ``cudaLaunchCooperativeKernel``."""
    cluster: Dim3 | None = None
    """Blocks of a cluster, where the launch says so (``cudaLaunchAttributeClusterDimension``); None: as the kernel was compiled."""
    blocks_run: int | None = None
    """Where time was up before all had run: how many had, or 0 where that is not known. There are no contents after it then."""
    chosen_blocks: tuple[int, ...] = ()
    """Linear numbers of the blocks that a replay runs; empty: all of them."""


class PassedArguments(Record):
    """What launches were passed of which nothing else was kept."""

    kernel: str
    """As of ``RecordedLaunch``."""
    config: LaunchConfig
    arguments: tuple[RecordedArgument, ...]
    count: int
    """Launches that were passed exactly this."""


class Transfer(Record):
    """Bytes that reached the host."""

    kind: str
    """``memcpy``, ``symbol``, ``managed`` or ``exit``; ``unfinished`` in a late run: a copy that the program never waited for, empty."""
    blob: str
    size_bytes: int
    after_launch: int
    """Index of the last launch before it; -1 when none."""
    element_type: str | None = None
    """C type of the elements, from the pointer parameter that the bytes were passed to; None where that does not say."""
    buffer: int | None = None
    """Id of the buffer that they came from, where known."""
    buffer_offset_bytes: int = 0


class Upload(Record):
    """Bytes that the host brought to the device."""

    key: str
    """What the recorder calls these bytes: equal for equal bytes in every run."""
    blob: str
    size_bytes: int
    buffer: int
    """Id of the buffer that they went to."""
    buffer_offset_bytes: int
    has_addresses: bool
    """Some of them are device addresses, which differ from run to run."""
    transfer_count: int
    """Transfers to the host before it: later bytes may follow from results."""
    element_type: str | None = None
    """As of ``Transfer``."""


class ShapeCount(Record):
    """How often the program launched a kernel with one configuration, kept or not."""

    kernel: str
    config: LaunchConfig
    count: int
    time_ns: int | None = None
    """What all of them took on the GPU, by its own time stamps; None where nothing was timed (the emulator)."""


class DeviceOperations(Record):
    """Copies or fills on the device: all of the same kind in a run of the program."""

    kind: str
    """``copy_to_device``, ``copy_to_host``, ``copy_on_device`` or ``fill``."""
    count: int
    """A copy of rows counts once a row."""
    size_bytes: int
    time_ns: int | None = None
    """As of ``ShapeCount``."""


class DeviceStep(Record):
    """One thing that a program asked of the device, or waited for."""

    kind: str
    """``launch``, one of the kinds of ``DeviceOperations``, ``allocation``, ``free``, ``wait`` (of the host: for an event, a stream, or
    all), ``record`` and ``await`` of an event in a stream, ``graph`` and ``graph_end`` around what a graph does, ``node`` before each of
    its steps, and ``enter`` or ``leave`` of a host function whose calls are noted."""
    shape: int = -1
    """For a launch: its place in ``Recording.shape_counts``."""
    stream: int | None = None
    """Numbered by first use; None where the recorder does not see it."""
    size_bytes: int = 0
    start_ns: int | None = None
    """By the GPU's own time stamps, from an arbitrary start; None where nothing was timed."""
    end_ns: int | None = None
    event: int | None = None
    """For ``record`` and ``await``, and for a ``wait`` for one: the event."""
    needs: tuple[int, ...] = ()
    """For a ``node``: earlier ones of its graph that it waits for, by their place."""
    is_waited: bool = False
    """For a copy or fill: the host waits for its end."""
    is_pinned: bool | None = None
    """For a copy: the host's memory is page-locked; None where the recorder does not see that."""


class Overtaking(Record):
    """Work of a late run that ran before something that was issued earlier and uses the same memory; their result depends on the order if
    one of them writes it."""

    first: str
    """A kernel as in ``RecordedLaunch``, or ``copy``, ``fill``, ``free`` or ``host_function``."""
    first_line: int
    """0: not known."""
    earlier: str
    earlier_line: int


class Recording(Record):
    """Launches and host transfers of a program run, in order."""

    buffers: tuple[RecordedBuffer, ...]
    launches: tuple[RecordedLaunch, ...]
    transfers: tuple[Transfer, ...]
    not_captured: tuple[str, ...]
    """One sentence per thing that could not be captured."""
    schema: int = SCHEMA_VERSION
    shape_counts: tuple[ShapeCount, ...] = ()
    """Every launch shape of the program in order of first use; empty in recordings that no program made."""
    operations: tuple[DeviceOperations, ...] | None = None
    """Copies and fills of the program, by kind; None where the recorder does not see them."""
    passed: tuple[PassedArguments, ...] = ()
    """What the launches of ``shape_counts`` that are not among ``launches`` were passed, as far as it was written down."""
    overtaken: tuple[Overtaking, ...] = ()
    """The first few pairs; empty unless the run was late."""
    uploads: tuple[Upload, ...] | None = None
    """In order; None where the recorder does not see them all."""
    steps: tuple[DeviceStep, ...] | None = None
    """Everything in the order in which the program asked for it; None where the recorder does not see that, or it is too much to keep."""
    uploaded_names: tuple[str, ...] | None = None
    """Instead of ``uploads``, where the bytes are not kept, or not all of them: equal for equal ones. None where not every one was seen."""
    first_partial: int | None = None
    """``RecordedLaunch.index`` of the first launch that did not run, or not all of it, because time was up: what later ones found in
    memory is not what the program computes. None where all ran."""
    are_waits_seen: bool = True
    """``steps`` hold waits, allocations and frees too; those of a GPU's own recorder do not."""
    too_large: tuple[str, ...] = ()
    """Kernels, as of ``RecordedLaunch``, with a launch that reaches too much memory to be kept."""
    stream_kinds: tuple[str, ...] = ()
    """By a stream's number: ``legacy`` (the default stream), ``per_thread``, ``blocking`` or ``non_blocking`` (with respect to it)."""

    def launch(self, index: int) -> RecordedLaunch:
        """The launch of that ``index``: a recording need not hold every launch of its program. Raises KeyError."""
        found = next((launch for launch in self.launches if launch.index == index), None)
        if found is None:
            raise KeyError(index)
        return found
