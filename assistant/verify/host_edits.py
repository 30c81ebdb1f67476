"""Does an edit change the host's code: anything outside kernels, what they rest on and their launches, or anything that reaches the host?

Example::

    edits_host_code(parsed_a, parsed_b)     # False for an edit inside a kernel that calls device functions only
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.cuda.code_patterns import CodePattern, squeezed
from assistant.cuda.code_text import blanked, uncommented, without
from assistant.cuda.directives import CONDITIONS, directives_in, macros_in
from assistant.cuda.includes import included_names
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import tokens, words_in_code
from assistant.model.source import ParsedSource, Source, Span
from assistant.verify.host_reach import host_reach, launch_reach
from assistant.verify.reach import reach

__all__ = ["edits_host_code", "host_edit", "macro_elsewhere"]

_LAUNCH_SETUP = CodePattern(r"\bdim3 \w[^;]*;|\b(?:static )?__(?:device|constant)__[^;(){}]*;")
"""Launch shapes and device variables: not host code, though they stand between functions."""
_KERNEL_DECLARED = CodePattern(r"[^={}\"]*\b__global__\b[^={}\"]*;")
"""A kernel declared, or instantiated."""
_EMPTY_SCOPE = CodePattern(r"\b(?:inline )?namespace\b[ \w:]*\{\}|\bextern \"C\"\{\}")
_UNIT_SUFFIXES = frozenset({".cu", ".cc", ".cpp", ".cxx", ".c"})
"""Suffixes of files that others seldom include."""
_NAMESPACES = r"(?:cooperative_groups(?:::experimental)?|nvcuda(?:::wmma)?|cuda::ptx|cuda::device(?:::experimental)?)"
"""Namespaces that have nothing for the host."""
_DEVICE_NAMESPACE = CodePattern(rf"\bnamespace \w+=(?:::)?(?:{_NAMESPACES}|cuda);")
"""Another name for such a namespace, or for libcu++."""
_NAMESPACE_USED = CodePattern(rf"using namespace(?: |::){_NAMESPACES};")


def edits_host_code(before: ParsedSource, after: ParsedSource) -> bool:
    """Whether anything differs outside kernels, device functions, launch expressions and what kernels of either side name, or what differs
    inside may reach the host: a macro that lives on, an object whose value is computed, a call of a host function."""
    return host_edit(before, after) is not None


def host_edit(before: ParsedSource, after: ParsedSource) -> str | None:
    """What of the edit is or may be the host's, in words; None where nothing is."""
    of_device = _device_names(before) | _device_names(after)
    if _host_tokens(before, of_device, ()) != _host_tokens(after, of_device, _own_items(before, after)):
        return "changes host code other than the launch"
    reach = host_reach(before.source.text, after.source.text) or launch_reach(_launch_texts(before), _launch_texts(after))
    return None if reach is None else f"may do something on the host: {reach}"


def macro_elsewhere(before: Iterable[Source], after: Iterable[Source]) -> str | None:
    """A macro that an edited header defines anew and that another file of the program says, which it holds in where that includes it."""
    old = {source.path: source.text for source in before}
    new = tuple(after)
    for source in new:
        is_included = source.path.suffix not in _UNIT_SUFFIXES or any(source.path.name in included_names(other.text) for other in new)
        if source.text == old[source.path] or not is_included:
            continue
        known = {macro.name for macro in macros_in(uncommented(old[source.path]))}
        names = {macro.name for macro in macros_in(uncommented(source.text))} - known
        others = (
            words_in_code(blanked(old.get(other.path, other.text))) for other in new if other.path != source.path
        )  # not the edit's own
        taken = sorted(names.intersection(word for words in others for word in words)) if names else []
        if taken:
            return taken[0]
    return None


def _launch_texts(parsed: ParsedSource) -> tuple[str, ...]:
    code = uncommented(parsed.source.text)
    sites = (code[site.span.start : site.span.end] for site in parsed.launch_sites)
    return (*sites, *_LAUNCH_SETUP.texts(code))


def _own_items(before: ParsedSource, after: ParsedSource) -> tuple[Item, ...]:
    """Macros and declarations that B adds under names that A has nowhere; what they do, ``host_reach`` has looked at."""
    known = words_in_code(blanked(before.source.text))
    found = items(uncommented(after.source.text)) or ()
    kinds = (ItemKind.MACRO, ItemKind.DECLARATION, ItemKind.DEVICE, ItemKind.KERNEL)
    own = tuple(i for i in found if i.kind in kinds and i.names and not i.names & known)
    return (*own, *_conditions_around(own, found, uncommented(before.source.text)))


def _conditions_around(own: tuple[Item, ...], found: Iterable[Item], before: str) -> Iterator[Item]:
    """Directives from an ``#if`` to its ``#endif`` between which nothing but such stands."""
    group, depth, is_own = list[Item](), 0, True
    for item in found:
        word = next((found.word for found in directives_in(item.text)), "") if item.kind is ItemKind.SCOPE else ""
        if word not in CONDITIONS:
            is_own = is_own and (depth == 0 or item in own)
            continue
        group, is_own = ([item], True) if depth == 0 else ([*group, item], is_own)
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
        if depth == 0 and is_own and any(each.text not in before for each in group if not each.text.strip().endswith(("endif", "else"))):
            yield from group


def _host_tokens(parsed: ParsedSource, of_device: frozenset[str], own: Iterable[Item]) -> list[str]:
    found = items(uncommented(parsed.source.text)) or ()
    macros = frozenset(name for item in found if item.kind is ItemKind.MACRO for name in item.names)
    spans = [
        *(kernel.span for kernel in parsed.kernels),
        *(function.span for function in parsed.device_functions),
        *(site.span for site in parsed.launch_sites),
        *(Span(item.start, item.end) for item in found if item.kind is ItemKind.INCLUDE or _uses_device_namespace(item, macros)),
        *(Span(item.start, item.end) for item in found if item.kind is not ItemKind.HOST and item.names & of_device),
        *(Span(item.start, item.end) for item in (*own, *(item for item in found if _KERNEL_DECLARED.is_all(item.text)))),
    ]
    host = _without_empty_scopes(without(uncommented(parsed.source.text), ((span.start, span.end) for span in spans)))
    return [token.text for token in tokens(_DEVICE_NAMESPACE.replaced(_LAUNCH_SETUP.replaced(host)))]


def _uses_device_namespace(item: Item, macros: frozenset[str]) -> bool:
    """Whether it is ``using namespace`` for a namespace of device code, whose name no macro changes."""
    return item.kind is ItemKind.SCOPE and _NAMESPACE_USED.is_all(item.text) and words_in_code(item.text).isdisjoint(macros)


def _without_empty_scopes(code: str) -> str:
    """Without namespaces that hold nothing, as they are left by what is the device's."""
    while (less := squeezed(_EMPTY_SCOPE.replaced(code))) != code:
        code = less
    return code


def _device_names(parsed: ParsedSource) -> frozenset[str]:
    """Macros, constants, types and functions that kernels rest on."""
    found = items(uncommented(parsed.source.text)) or ()
    names = {name for item in found if item.kind is ItemKind.KERNEL for name in item.names}
    reached = reach(found, names, frozenset({ItemKind.HOST, ItemKind.SCOPE}))
    return frozenset(name for item in reached for name in item.names)
