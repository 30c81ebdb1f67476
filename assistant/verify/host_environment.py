"""Host code that asks where, when or how it runs: it may do something else on another day, or on a machine that nobody judges.

Rules look for words in the code outside kernels and device functions, and count what B has beyond A. How much a device has of what a launch
needs is a good reason for another launch, what it is called is none; so the numbers that an edit may ask for are listed. Example::

    host_environment_label(parsed_a, parsed_b)
    # DetectedLabel(Label.ASSUMPTION, 'the host asks for its environment: getenv("DISPLAY")', 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assistant.cuda.code_patterns import CodeMatch, CodePattern, Words, squeezed
from assistant.cuda.code_text import blanked, uncommented, without
from assistant.cuda.directives import directives_in
from assistant.cuda.items import items
from assistant.model.source import ParsedSource, Span
from assistant.model.verification import Label
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel
from assistant.verify.text import Match, beyond

__all__ = ["host_environment_label"]

_MACHINE = "which machine it runs on"
_MOST_CHARACTERS = 80
"""Of a call, for people."""


class _Code(Record):
    """The host's code of one version."""

    bare: str
    """With the insides of strings blank."""
    full: str
    """The same with strings; as long."""
    names: frozenset[str]
    """What the text defines at file scope."""


class _Rule(Record):
    pattern: CodePattern
    message: str


_RULES = (
    _Rule(
        CodePattern(
            r"\b(cu(?:da)?DeviceGet(?:Name|PCIBusId|ByPCIBusId|Uuid\w*|Luid)|cu(?:da)?DriverGetVersion|cudaRuntimeGetVersion|cu(?:da)?MemGetInfo"
            r"|nvml[A-Z]\w+)\b"
        ),
        _MACHINE,
    ),
    _Rule(CodePattern(r"\b((?:secure_)?getenv|environ|envp)\b"), "for its environment"),
    _Rule(
        CodePattern(
            r"\b(gethostname|getpid|getppid|getuid|geteuid|getlogin|getcwd|hardware_concurrency|sched_getcpu|get_nprocs\w*|getauxval"
            r"|__builtin_cpu_\w+|ptrace|popen|(?:uname|sysconf|isatty|system|readlink)(?=\())\b"
        ),
        "which machine or process it runs in",
    ),
    _Rule(
        CodePattern(
            r"\b(fopen64|fopen|freopen|opendir|openat|mmap|(?:basic_)?[io]?fstream|filesystem|(?:open|open64|l?stat|access)(?=\())(?![\w>])"
        ),
        "for a file",
    ),
    _Rule(
        CodePattern(
            r"(?<![.>\w])(gettimeofday|clock_gettime|timespec_get|ftime|__?rdtscp?|__builtin_ia32_rdtscp?|\w+_clock::now|random_device"
            r"|(?:time|clock)(?=\())(?!\w)"
        ),
        "what time it is, or for chance",
    ),
)
_COMMON_NAMES = Words(r"open|open64|l?stat|access|time|clock|system|uname|sysconf|isatty|readlink|filesystem")
"""What a program may well call something of its own."""
_PROPERTIES = CodePattern(r"\bcudaDeviceProp (\w+)")
"""Variables that hold what a device is like."""
_OF_A_LAUNCH = (
    r"(?:multiProcessorCount|sharedMemPer\w+|reservedSharedMemPerBlock|max(?:Threads|Blocks|Grid)\w+|regsPer\w+|warpSize|l2CacheSize"
    r"|persistingL2CacheMaxSize|totalConstMem|totalGlobalMem|major|minor|cooperativeLaunch|concurrentKernels|asyncEngineCount|managedMemory"
    r"|concurrentManagedAccess|canMapHostMemory|unifiedAddressing)"
)
"""Members of ``cudaDeviceProp`` (CUDA Runtime API 13.0) that say how a launch may be shaped."""
_MAIN = CodePattern(r"\bmain\(int (\w+),(?:const )?char(?: const)?\*(?:const )?(?:\*(?:const )?(\w+)|(\w+)\[\])[,)]")
"""``main`` with arguments."""


def host_environment_label(before: ParsedSource, after: ParsedSource) -> DetectedLabel | None:
    """The first thing that B's host asks and A's does not."""
    if before.source.text == after.source.text:
        return None
    old, new = _code(before), _code(after)
    looks: list[tuple[str, Callable[[_Code], Iterable[Match]]]] = [
        *((rule.message, lambda code, rule=rule: _by_rule(rule, code)) for rule in _RULES),
        (_MACHINE, _properties),
        ("how it is called, of which only the given arguments are tried", _arguments),
    ]
    for message, look in looks:
        for found in beyond(look(old), look(new)):
            return DetectedLabel(Label.ASSUMPTION, f"the host asks {message}: {found.text[:_MOST_CHARACTERS]}", found.line)
    return None


def _code(parsed: ParsedSource) -> _Code:
    text = parsed.source.text
    bare, full = blanked(text), uncommented(text)
    of_device = (function.span for function in parsed.device_functions if "__host__" not in text[function.span.start : function.body.start])
    includes = (Span(found.start, found.end) for found in directives_in(bare) if found.word == "include")
    ranges = [(span.start, span.end) for span in (*(kernel.span for kernel in parsed.kernels), *of_device, *includes)]
    names = frozenset(name for item in items(full) or () for name in item.names)
    return _Code(without(bare, ranges), without(full, ranges), names)


def _by_rule(rule: _Rule, code: _Code) -> Iterator[Match]:
    for found in rule.pattern.matches(code.bare):
        if not (found.text in _COMMON_NAMES and (found.text in code.names or found.is_member)):
            yield _match(code, found)


def _match(code: _Code, found: CodeMatch) -> Match:
    """With what the call is given, as written on one line."""
    name_end = found.start + len(found.text)
    end = _closing(code.bare, name_end)
    return Match(squeezed(code.full[found.start : end]), found.line, found.start)


def _closing(code: str, start: int) -> int:
    """Where the brackets end that open at ``start``, blanks aside; ``start`` where none do."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] == "(") - (code[place] == ")")
        if depth == 0 and not code[place].isspace():
            return place + 1 if code[place] == ")" else start
    return start


def _properties(code: _Code) -> Iterator[Match]:
    """Uses of a device's properties beyond the numbers that a launch needs."""
    names = "|".join(sorted(set(_PROPERTIES.texts(code.bare))))
    if not names:
        return
    known = rf"(?<!cudaDeviceProp )(?<!cudaGetDeviceProperties\(&)(?<![.>])\b(?:{names})\b"
    for found in CodePattern(rf"{known}(?!(?:\[[^\[\]]*\])?(?:\.|->){_OF_A_LAUNCH}\b)(?:\.\w+)?").matches(code.bare):
        yield Match(found.text, found.line, found.start)


def _arguments(code: _Code) -> Iterator[Match]:
    """Uses of what ``main`` is passed."""
    main = _MAIN.search(code.bare)
    if main is None:
        return
    names = "|".join(sorted({main[1], main[2] or main[3]}))
    body = code.bare.find("{", main.start)
    for found in CodePattern(rf"(?<![.>])\b(?:{names})\b(?:\[[^\[\]]*\])?").matches(code.bare):
        if found.start > body:
            yield Match(found.text, found.line, found.start)
