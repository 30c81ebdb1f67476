"""Device code that asks where it runs: what compilers, builds and devices answer differently, though every compiler compiles the same text.

A rule looks for words; it counts what B has beyond A. Code without comments is expected, strings in it. Example::

    environment_labels("o[i] = x[i];", "if (clock64() & 1) o[i] = x[i];")
    # (DetectedLabel(Label.NON_DETERMINISM, "reads a clock: clock64", 1),)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from assistant.cuda.code_patterns import CodeMatch, CodePattern, Words
from assistant.cuda.code_text import blanked
from assistant.cuda.device_words import STD_FUNCTIONS, is_device_function
from assistant.cuda.inline_assembly import registers_in
from assistant.model.doubts import Doubt, DoubtKind
from assistant.model.verification import Label
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel
from assistant.verify.text import Match, beyond, new_matches

__all__ = ["HARMLESS_PRAGMA", "doubt_labels", "environment_labels"]


class _Rule(Record):
    label: Label
    pattern: CodePattern
    message: str


HARMLESS_PRAGMA = CodePattern(
    r"(?:unroll|nounroll|once|nv_diag\w*|nv_exec_check_disable|hd_warning_disable|GCC diagnostic|omp|(?:push|pop)_macro)\b"
)
"""Hints, and what only the host's compiler or the preprocessor acts on (NVIDIA CUDA C++ Programming Guide 13.0, "Pragmas")."""
_OF_TOOLKIT = (
    r"(?:\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|long double|wchar_t|dim3|cuda\w+|cg|cooperative_groups|clock\w*"
    r"|__(?!half|nv_bfloat)\w+)\b|\"|\w\(\))"
)
"""What compilers and their headers may give another type or size."""
_RULES = (
    _Rule(
        Label.ASSUMPTION,
        CodePattern(r"\b(__has_\w+|__is_identifier|__builtin_constant_p|(?:__builtin_)?is_constant_evaluated|if(?: |!)consteval)\b"),
        "asks what the compiler has or knows: {}",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(
            r"\b(__FILE__|__LINE__|__DATE__|__TIME__|__TIMESTAMP__|__COUNTER__|__BASE_FILE__|__FILE_NAME__|__INCLUDE_LEVEL__|__func__"
            r"|__FUNCTION__|__PRETTY_FUNCTION__|__FUNCSIG__|__builtin_(?:FILE|LINE|COLUMN|FUNCTION)|source_location)\b"
        ),
        "depends on its own text or on when it is compiled: {}",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(
            r"\b((?:sizeof|alignof|_Alignof|__alignof__|decltype|noexcept|typeid|typeof|__typeof__|__is_\w+)"
            rf"\((?:[^;{{}}()]|\([^;{{}}()]*\))*?{_OF_TOOLKIT}"
            rf"|(?:is_\w+|enable_if\w*|conditional\w*|void_t|declval)<[^;{{}}<>]*?{_OF_TOOLKIT})"
        ),
        "asks for the type or size of what each compiler defines: {}",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(r"\b((?:if constexpr|constexpr|noexcept|requires|integral_constant|enum)\b[^;{}]*\bwarpSize)\b"),
        "asks whether the compiler knows warpSize: {}",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(r"\b(long double|__float128|__int128\w*|_Float\d+x?|__bf16|wchar_t)\b"),
        "uses {}, which differs between compilers",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(r"(?<!signed )\b(char)\b(?![*&])(?! \w+\[)"),
        "uses plain {}, which is signed on some hosts and unsigned on others",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(
            r"\b(fe(?:set|get|hold|test|clear|raise|update)\w*|FLT_ROUNDS|FLT_EVAL_METHOD|FP_FAST_\w+|math_errhandling|has_denorm\w*|round_style)\b"
        ),
        "asks for the floating-point environment: {}",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(
            r"(__attribute__\(\((?!_{0,2}(?:aligned|always_inline|noinline|unused|packed|vector_size)_{0,2}\b)\w+|\[\[(?:gnu|clang|using)\b)"
        ),
        "uses a compiler attribute that other compilers read differently: {}",
    ),
    _Rule(
        Label.ASSUMPTION,
        CodePattern(r"\b(assert\([^;{}]*?(?:\+\+|--|(?<![=!<>])=(?!=)|\batomic\w+\())"),
        "does work inside assert(), which a build with NDEBUG leaves out: {}",
    ),
    _Rule(Label.NON_DETERMINISM, CodePattern(r"\b(clock(?:64)?|__nanosleep|__globaltimer\w*)\("), "reads a clock: {}"),
    _Rule(
        Label.NON_DETERMINISM,
        CodePattern(r"\b(__(?:n?smid|n?warpid|gridid|activemask))\("),
        "reads which processor or warp it runs on: {}",
    ),
)
_TELLING_REGISTERS = Words(r"(?:clock|globaltimer)\w*|n?smid|n?warpid|gridid|envreg\d+|pm\d+\w*|current_graph_exec")
_DOUBTS: dict[DoubtKind, tuple[Label, str]] = {
    "unset": (Label.ASSUMPTION, "may read {} before it has a value"),
    "address": (Label.ASSUMPTION, "turns an address into a number: {}"),
    "alignment": (Label.ALIGNMENT, "chooses by the alignment of {}: judged at the workload's own addresses"),
    "comparison": (Label.ASSUMPTION, "compares addresses: {}"),
    "place": (Label.ASSUMPTION, "asks where memory is: {}"),
}
_BUILTIN = CodePattern(r"\b(__builtin_\w+)")
_BARE_VARIABLE = CodePattern(r"[(,]((?:thread|block)Idx|blockDim|gridDim)[,)]")
_FORWARDING = CodePattern(r"\b(?:auto|[A-Z]\w*)&&(?:\.\.\.)?\w+[,)]|\bis_\w*reference|\bdecltype\(auto\)")
_FUNCTION = CodePattern(r"\b__device__\b[^;{}()]*\b([A-Za-z_]\w*)\([^;{}]*\)(?:const ?)?(?:noexcept)?\{")
_USING_STD = CodePattern(r"\busing namespace std;")


def environment_labels(before: str, after: str) -> tuple[DetectedLabel, ...]:
    """Everything that B asks and A does not."""
    old, new = blanked(before), blanked(after)
    return (*_by_rule(before, after, old, new), *_others(old, new))


def doubt_labels(before: Iterable[Doubt], after: Iterable[Doubt]) -> tuple[DetectedLabel, ...]:
    """What B leaves open and A does not; each kind's first place."""
    known = Counter((doubt.kind, doubt.code) for doubt in before)
    found: dict[str, DetectedLabel] = {}
    for doubt in after:
        if known[doubt.kind, doubt.code]:
            known[doubt.kind, doubt.code] -= 1
        else:
            label, message = _DOUBTS[doubt.kind]
            found.setdefault(doubt.kind, DetectedLabel(label, message.format(doubt.name), doubt.line))
    return tuple(found.values())


def _by_rule(before: str, after: str, old: str, new: str) -> Iterator[DetectedLabel]:
    for rule in _RULES:
        found = new_matches(rule.pattern, old, new)
        if found:
            yield DetectedLabel(rule.label, rule.message.format(found[0].written), found[0].line)
    register = next(iter(beyond(_telling_registers(before), _telling_registers(after))), None)
    if register is not None:
        yield DetectedLabel(Label.NON_DETERMINISM, f"reads a register that shows when or where it runs: {register.text}", register.line)


def _telling_registers(code: str) -> list[Match]:
    """In strings, too: inline assembly is one."""
    return [Match(name, code.count("\n", 0, start) + 1, start) for name, start in registers_in(code) if name in _TELLING_REGISTERS]


def _others(old: str, new: str) -> Iterator[DetectedLabel]:
    unknown = next((match for match in new_matches(_BUILTIN, old, new) if not is_device_function(match.text)), None)
    if unknown is not None:
        yield _label(Label.ASSUMPTION, "calls {}, which not every compiler has", unknown)
    bare = new_matches(_BARE_VARIABLE, old, new)
    if bare and _FORWARDING.is_in(new):
        yield _label(Label.ASSUMPTION, "asks how the compiler passes on {}", bare[0])
    if _USING_STD.is_in(new):
        known = {match.text for match in _FUNCTION.matches(old)}
        namesake = next((m for m in _FUNCTION.matches(new) if m.text in STD_FUNCTIONS and m.text not in known), None)
        if namesake is not None:
            yield _label(Label.ASSUMPTION, "defines {0} in addition to std::{0}: which one is called depends on the headers", namesake)


def _label(label: Label, message: str, match: CodeMatch) -> DetectedLabel:
    return DetectedLabel(label, message.format(match.text), match.line)
