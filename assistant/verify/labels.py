"""What a person must know in addition to the gain, read off source text and machine code.

A label is given for what B has and A has not; comments and strings do not count. Where kernels are named, only these count, with the
helpers, constants and launches of theirs: an edited sibling labels no other kernel.

Example::

    detect_labels(VersionFacts(parsed_a), VersionFacts(parsed_b))    # (DetectedLabel(Label.FAST_MATH, "uses __expf", 12),)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assistant.cuda.aligned_arrays import aligned_arrays
from assistant.cuda.code_patterns import CodeMatch, CodePattern
from assistant.cuda.code_text import blanked, kept, uncommented, without
from assistant.cuda.directives import directives_in
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.number_types import variables_named_half
from assistant.cuda.vector_casts import VectorCast, vector_casts
from assistant.model.build import KernelCode
from assistant.model.doubts import Doubt
from assistant.model.host_work import HostWork
from assistant.model.source import Kernel, ParsedSource
from assistant.model.verification import Label
from assistant.model.word_arithmetic import WordArithmetic
from assistant.record import Record
from assistant.verify.aligned_types import aligned_parameters, unpromised_casts
from assistant.verify.environment import HARMLESS_PRAGMA, doubt_labels, environment_labels
from assistant.verify.evidence import DetectedLabel
from assistant.verify.hidden_calls import hidden_library
from assistant.verify.host_edits import host_edit
from assistant.verify.host_environment import host_environment_label
from assistant.verify.instructions import machine_code_labels
from assistant.verify.library_calls import new_library_calls
from assistant.verify.narrowing import lowered_precision, narrower_integers
from assistant.verify.omissions import lost_carry, omitted_work
from assistant.verify.ordering import OrderFacts, new_float_sum, order_facts
from assistant.verify.reach import reach
from assistant.verify.text import beyond, new_matches

__all__ = ["VersionFacts", "changes_streams", "detect_labels", "new_bounds", "order_of"]

_FAST_MATH_CALL = CodePattern(r"\b(__(?:expf|exp10f|logf|log2f|log10f|sinf|cosf|tanf|sincosf|powf|fdividef))\(")
"""Intrinsics with larger error than the function they replace (CUDA C++ Programming Guide, "Intrinsic Functions")."""
_EXPONENTIAL = CodePattern(r"(?<!\w)exp(?:2|10)?f?\(")
_MADE_OF_EXPONENTIALS = frozenset({"MUFU.EX2"})
"""The instruction that ends each of them, after a reduction of the argument (nvcc 13.0); a power has none."""
_TURNS = CodePattern(r"\b(sinpi|cospi|sincospi)\(")
"""Of an angle in units of pi, which is not rounded as its product with pi is; doubles have no float64 values that tell who errs."""
_STREAM_CALL = CodePattern(r"\bcuda(?:Stream|Event|DeviceSynchronize|ThreadSynchronize|Memcpy|Memset|LaunchHostFunc|\w+Async\b)\w*[^;{}]*")
_LIBRARY = CodePattern(
    r"\b(cublas\w*|cudnn\w*|cufft\w*|cusparse\w*|cusolver\w*|curand\w*|cutensor\w*|(?:thrust|cub|cutlass|cute)::\w+"
    r"|using namespace (?:thrust|cub|cutlass|cute))\b"
)
_ASSUMPTION = CodePattern(r"\b(__builtin_assume(?:_aligned)?|__assume|__builtin_unreachable)\b")
_ARCH_CODE = CodePattern(
    r"(\basm\b|__CUDA_ARCH__|\bwmma::|\bmma_sync\b|\b__reduce_\w+_sync\b|__cluster_dims__|\bcluster_group\b|\bthis_cluster\b"
    r"|\bmap_shared_rank\b|\bcp_async\w*|__nvvm_\w+|\bcuda::ptx\b|\bptx::\w+|\bcuda::device::experimental\b|\bCUtensorMap\b|\bcute::arch\b"
    r"|\bcudaGridDependencySynchronize\b|\bcudaTriggerProgrammaticLaunchCompletion\b)"
)
"""``__dp4a`` is none: every architecture that CUDA 13 compiles for has it (CUDA C++ Programming Guide, "SIMD Video Instructions")."""
_ARCH_ALONE = CodePattern(r"\b(wgmma|setmaxnreg|tcgen05|__CUDA_ARCH_FEAT_SM\d+_ALL|__CUDA_ARCH_SPECIFIC__)\b")
"""What nvcc takes for an architecture with an ``a`` alone (nvcc manual 13.0, "GPU Feature List")."""
_ALONE = "runs on one architecture alone, and is compiled for its name with an `a` (-arch=sm_90a): {}"
_ARCH_HOST = CodePattern(r"\b(cudaLaunchAttribute(?:Cluster|Programmatic)\w*|cudaFuncAttribute\w*Cluster\w*|cuTensorMapEncode\w*)\b")
"""What a launch asks of devices of compute capability 9.0 (CUDA C++ Programming Guide 13.0, "Thread Block Clusters", "Using TMA")."""
_FAST_FLAGS = ("-use_fast_math", "--use_fast_math", "-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt")
_ASKS = CodePattern(r"(\b__has_\w+|\b__is_identifier\b|\b_Pragma\b)")
_WHICH_COMPILER = CodePattern(
    r"\b(__clang\w*|__GNU[CG]\w*|_MSC_\w+|__INTEL_\w+|__ICC|__MINGW\w+|__NVCOMPILER\w*|_WIN(?:32|64)|__APPLE__|__linux\w*)\b"
)
"""Macros that tell the host's compiler or system apart: nvcc takes g++, clang and cl.exe."""
_SHOWN_CHARACTERS = 60
GROWTH_RATIO = 1.5
"""A kernel that grows beyond this, and by ``GROWTH_LINES`` lines, is labelled as harder to read."""
GROWTH_LINES = 15


class VersionFacts(Record):
    """One side: its source and, where a compiler was at hand, its machine code."""

    parsed: ParsedSource
    code: tuple[KernelCode, ...] = ()
    flags: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    """Qualified names of the kernels in question, whose machine code ``code`` is; empty: all."""
    doubts: tuple[Doubt, ...] = ()
    """What its device code leaves open (``assistant.cuda.doubts``)."""
    bounded: tuple[tuple[str, int], ...] = ()
    """(qualified name, threads of a block) of kernels with ``__launch_bounds__`` that every launch of the program keeps."""
    work: tuple[HostWork, ...] = ()
    """What its host code asks of the device (``assistant.cuda.host_work``)."""
    arithmetic: tuple[WordArithmetic, ...] = ()
    """What its device code does with 64-bit integers and their halves (``assistant.cuda.word_arithmetic``)."""


def detect_labels(before: VersionFacts, after: VersionFacts) -> tuple[DetectedLabel, ...]:
    """Every label that B earns against A, most serious first, one of each kind."""
    old, new = _device_code(before), _device_code(after)
    found = [
        lowered_precision(_code_of_types(before), _code_of_types(after)),
        _fast_math(old, new, before.flags, after.flags),
        _first(Label.PRECISION, "takes an angle in units of pi, other than its rounded product with pi: {}", new_matches(_TURNS, old, new)),
        _first(Label.LIBRARY_CALL, "calls a library: {}", new_library_calls(_LIBRARY, [_all_code(before)], [_all_code(after)])),
        _hidden_library(before, after),
        _new_flags(before.flags, after.flags),
        _first(Label.ASSUMPTION, "states an assumption: {}", new_matches(_ASSUMPTION, old, new)),
        narrower_integers(old, new),
        lost_carry(before.arithmetic, _arithmetic_in_question(after)),
        omitted_work(before.work, after.work),
        _launch_bounds(before, after),
        _first(
            Label.ALIGNMENT,
            "assumes the alignment of {}",
            beyond(vector_casts(old), unpromised_casts(new, aligned_arrays(new) | _aligned(after))),
        ),
        _float_sums(order_facts(old, before.code), order_facts(new, after.code)),
        _first(Label.ARCH_LOCK_IN, _ALONE, new_matches(_ARCH_ALONE, _device_text(before), _device_text(after))),
        _first(Label.ARCH_LOCK_IN, "depends on the architecture: {}", new_matches(_ARCH_CODE, old, new)),
        _first(Label.ARCH_LOCK_IN, "depends on the architecture: {}", new_matches(_ARCH_HOST, _all_code(before), _all_code(after))),
        _asks_for_the_architecture(before, after),
        *environment_labels(_device_text(before), _device_text(after)),
        *doubt_labels(before.doubts, _doubts_in_question(after)),
        _asks_the_compiler(before, after),
        host_environment_label(before.parsed, after.parsed),
        *(
            one
            for one in machine_code_labels(before.code, after.code, _MADE_OF_EXPONENTIALS if _EXPONENTIAL.is_in(new) else frozenset())
            if one is None or not (one.label is Label.ALIGNMENT and _aligned(after))
        ),
        _host_code(before.parsed, after.parsed),
        _growth(before, after),
    ]
    unique: dict[Label, DetectedLabel] = {}
    for label in found:
        if label is not None:
            unique.setdefault(label.label, label)
    return tuple(unique.values())


def _aligned(version: VersionFacts) -> dict[str, int]:
    kernels = [kernel for kernel in version.parsed.kernels if not version.kernels or kernel.qualified_name in version.kernels]
    return aligned_parameters(version.parsed.source.text, kernels)


def order_of(version: VersionFacts) -> OrderFacts:
    """How far the order in which threads arrive decides what the kernels in question leave."""
    return order_facts(_device_code(version), version.code)


def _device_code(version: VersionFacts) -> str:
    """Code of the kernels in question, of what they reach and of their launches; the rest is blank, lines stay."""
    return _in_question(version, blanked(version.parsed.source.text))


def _code_of_types(version: VersionFacts) -> str:
    """As ``_device_code``, without variables that are named as a type is, which the host may declare far from its launch."""
    code = blanked(version.parsed.source.text)
    return _in_question(version, without(code, variables_named_half(code)))


def _in_question(version: VersionFacts, code: str) -> str:
    found = _reached(version)
    return _without_includes(code) if found is None else kept(code, _spans(version, found))


def _doubts_in_question(version: VersionFacts) -> Iterator[Doubt]:
    """Those of functions that the kernels in question reach."""
    found = _reached(version)
    names = None if found is None else {name for item in found for name in item.names}
    return (doubt for doubt in version.doubts if names is None or doubt.function in names)


def _arithmetic_in_question(version: VersionFacts) -> Iterator[WordArithmetic]:
    """That of lines which the kernels in question reach, member functions of classes included."""
    if not any(one.is_of_low_half for one in version.arithmetic):
        return iter(())
    lines = _device_code(version).split("\n")
    return (one for one in version.arithmetic if lines[one.line - 1].strip())


def _device_text(version: VersionFacts) -> str:
    """As ``_device_code``, with the insides of strings: inline assembly is one."""
    return _in_question(version, uncommented(version.parsed.source.text))


def _hidden_library(before: VersionFacts, after: VersionFacts) -> DetectedLabel | None:
    found = hidden_library([before.parsed.source.text], [after.parsed.source.text])
    return None if found is None else DetectedLabel(Label.LIBRARY_CALL, f"calls a library: {found}")


def _all_code(version: VersionFacts) -> str:
    """As ``_device_code``, with all functions of the host."""
    code = blanked(version.parsed.source.text)
    found = items(uncommented(version.parsed.source.text))
    if found is None:
        return _without_includes(code)
    return kept(code, _spans(version, (*(_reached(version) or ()), *(item for item in found if item.kind is ItemKind.HOST))))


def _spans(version: VersionFacts, found: Iterable[Item]) -> list[tuple[int, int]]:
    """Where the items and the launches of the kernels in question stand."""
    names = _short_names(version)
    launches = (site.span for site in version.parsed.launch_sites if not names or site.kernel_name.split("::")[-1] in names)
    return [*((item.start, item.end) for item in found), *((span.start, span.end) for span in launches)]


def _reached(version: VersionFacts) -> tuple[Item, ...] | None:
    found = items(uncommented(version.parsed.source.text))
    if found is None:
        return None
    kernels = _short_names(version) or {name for item in found if item.kind is ItemKind.KERNEL for name in item.names}
    inside = frozenset({ItemKind.HOST, ItemKind.SCOPE})
    return reach(found, kernels, inside)


def _short_names(version: VersionFacts) -> set[str]:
    return {name.split("::")[-1] for name in version.kernels}


def _without_includes(code: str) -> str:
    return without(code, ((found.start, found.end) for found in directives_in(code) if found.word == "include"))


def _first(label: Label, message: str, found: Sequence[CodeMatch | VectorCast]) -> DetectedLabel | None:
    return DetectedLabel(label, message.format(found[0].text), found[0].line) if found else None


def changes_streams(before: VersionFacts, after: VersionFacts) -> bool:
    """Whether B's host code issues or waits for work otherwise than A does: other calls, other streams or events, or in another order."""
    return _stream_calls(before) != _stream_calls(after)


def _stream_calls(version: VersionFacts) -> list[str]:
    """Calls that concern streams with what they are given, and the streams of launches, in the order of the text."""
    text = blanked(version.parsed.source.text)
    found = [(match.start, match.text) for match in _STREAM_CALL.matches(text)]
    for site in version.parsed.launch_sites:
        found.append((site.span.start, f"launch in {'' if site.stream is None else site.stream.text}"))
    return [call for _, call in sorted(found)]


def new_bounds(before: VersionFacts, after: VersionFacts) -> tuple[Kernel, ...]:
    """The kernels in question that B bounds and A does not, or otherwise."""
    known = Counter(kernel.launch_bounds for kernel in before.parsed.kernels)
    mine = (kernel for kernel in after.parsed.kernels if not after.kernels or kernel.qualified_name in after.kernels)
    return tuple(kernel for kernel in mine if kernel.launch_bounds and not known[kernel.launch_bounds])


def _launch_bounds(before: VersionFacts, after: VersionFacts) -> DetectedLabel | None:
    """Only where a launch may go beyond it: one that does is refused by CUDA and does not go wrong unseen."""
    kept_names = {name for name, _ in after.bounded}
    beyond = next((kernel for kernel in new_bounds(before, after) if kernel.qualified_name not in kept_names), None)
    return None if beyond is None else DetectedLabel(Label.ASSUMPTION, "states an assumption: __launch_bounds__", beyond.line)


def _fast_math(old: str, new: str, old_flags: tuple[str, ...], new_flags: tuple[str, ...]) -> DetectedLabel | None:
    flags = [flag for flag in new_flags if flag not in old_flags and flag.split("=")[0] in _FAST_FLAGS]
    if flags:
        return DetectedLabel(Label.FAST_MATH, f"compiled with {flags[0]}")
    return _first(Label.FAST_MATH, "uses {}", new_matches(_FAST_MATH_CALL, old, new))


def _asks_for_the_architecture(before: VersionFacts, after: VersionFacts) -> DetectedLabel | None:
    """Conditions of the preprocessor decide for the whole file, also by macros that no kernel of the edit names itself."""
    old, new = (Counter(d.text for d in directives_in(blanked(v.parsed.source.text)) if "__CUDA_ARCH" in d.text) for v in (before, after))
    asked = next(iter(new - old), None)
    return None if asked is None else DetectedLabel(Label.ARCH_LOCK_IN, f"asks for the architecture: `{asked[:_SHOWN_CHARACTERS]}`")


def _asks_the_compiler(before: VersionFacts, after: VersionFacts) -> DetectedLabel | None:
    """Conditions of the preprocessor decide for the whole file."""
    old, new = (blanked(version.parsed.source.text) for version in (before, after))
    pragmas = Counter(d.text for d in directives_in(new) if d.word == "pragma") - Counter(d.text for d in directives_in(old))
    odd = next((text for text in pragmas if not HARMLESS_PRAGMA.begins(text.partition("pragma")[2])), None)
    if odd is not None:
        return DetectedLabel(Label.ASSUMPTION, f"holds `{odd[:_SHOWN_CHARACTERS]}`, which compilers read differently")
    asked, known = (Counter(d.text for d in directives_in(text) if _WHICH_COMPILER.is_in(d.text)) for text in (new, old))
    which = next(iter(asked - known), None)
    if which is not None:
        return DetectedLabel(
            Label.ASSUMPTION, f"tests which compiler compiles it: `{which[:_SHOWN_CHARACTERS]}`; judged as g++ and nvcc read it"
        )
    return _first(Label.ASSUMPTION, "asks what the compiler has: {}", new_matches(_ASKS, old, new))


def _new_flags(old: tuple[str, ...], new: tuple[str, ...]) -> DetectedLabel | None:
    different = [flag for flag in new if flag not in old] + [f"no {flag}" for flag in old if flag not in new]
    return DetectedLabel(Label.NEW_FLAGS, f"compiled with other flags: {', '.join(different)}") if different else None


def _float_sums(old: OrderFacts, new: OrderFacts) -> DetectedLabel | None:
    found = new_float_sum(old, new)
    return (
        None if found is None else DetectedLabel(Label.NON_DETERMINISM, f"{found.text}: the order of additions varies", found.line or None)
    )


def _host_code(before: ParsedSource, after: ParsedSource) -> DetectedLabel | None:
    edit = host_edit(before, after)
    return None if edit is None else DetectedLabel(Label.HOST_CODE, edit)


def _growth(before: VersionFacts, after: VersionFacts) -> DetectedLabel | None:
    old_lines, new_lines = _kernel_lines(before), _kernel_lines(after)
    if new_lines > GROWTH_RATIO * old_lines and new_lines - old_lines > GROWTH_LINES:
        return DetectedLabel(Label.READABILITY, f"kernel code grows from {old_lines} to {new_lines} lines")
    return None


def _kernel_lines(version: VersionFacts) -> int:
    """Lines of code of the kernels and of the device functions that they call."""
    parsed = version.parsed
    kernels = [kernel for kernel in parsed.kernels if not version.kernels or kernel.qualified_name in version.kernels]
    called = {name for kernel in kernels for name in kernel.device_functions} if version.kernels else None
    functions = [function for function in parsed.device_functions if called is None or function.name in called]
    code = blanked(parsed.source.text)
    spans = [*(kernel.span for kernel in kernels), *(function.span for function in functions)]
    return sum(1 for span in spans for line in code[span.start : span.end].split("\n") if line.strip())
