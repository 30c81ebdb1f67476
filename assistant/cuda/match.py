"""Which kernel a name means: as a person writes it, as a demangler prints it, or mangled.

Example::

    select_kernels(parsed, "ns::k")                              # every kernel k in a namespace ns
    kernel_of_instance(parsed, "void ns::k<float>(float*, int)")   # the one template it was made from
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.cuda.reading import split_arguments
from assistant.cuda.same_names import is_named_file, split_name
from assistant.cuda.spelling import canonical_type, is_builtin, substitute
from assistant.model.source import Kernel, Parameter, ParsedSource, Span, TemplateParameter
from assistant.record import Record

__all__ = ["kernel_meant", "kernel_of_instance", "select_kernels", "template_arguments_of", "unseen_kernel"]

_ANONYMOUS = re.compile(r"(?:\(anonymous namespace\)|\{anonymous\}|<unnamed>|_GLOBAL__N__?\w*)::")
_CLONE = re.compile(r"\s*\[clone [^\]]*\]|\s*\[with .*\]$")
_CAST = re.compile(r"^\((?:[\w: ]+)\)\s*(?=[-\w'])")
_INTEGER_SUFFIX = re.compile(r"(?<=\d)[uUlL]+$")
_MANGLED_NAME = re.compile(r"L?(\d+)")
_MANGLED_PREFIX = re.compile(r"_Z(N[rVK]*)?")
_BOOLEANS = {"true": "1", "false": "0"}


class _Name(Record):
    """A kernel's name, taken apart."""

    scopes: tuple[str, ...]
    name: str
    template_arguments: tuple[str, ...] | None
    """None when nothing in angle brackets is written."""
    parameters: tuple[str, ...] | None
    """None when no parameter list is written."""
    is_mangled: bool = False
    file: str = ""
    """End of its file's path, where that is written."""


def select_kernels(parsed: ParsedSource, selector: str) -> tuple[Kernel, ...]:
    """Every kernel that ``selector`` can mean, in source order; none when it means no kernel of the text.

    Namespaces may be left out, template arguments and parameter types too; the file may be written in front, as ``first.cu:k``. Where
    parameter types are written, the kernels that match best are returned.
    """
    wanted = _taken_apart(selector)
    if wanted is None:
        return ()
    scored = [(kernel, _score(parsed, kernel, wanted)) for kernel in parsed.kernels]
    best = max((score for _, score in scored if score is not None), default=0)
    return tuple(kernel for kernel, score in scored if score == best)


def kernel_of_instance(parsed: ParsedSource, demangled: str) -> Kernel | None:
    """The kernel that a compiled function was made from, by its demangled or mangled name; None for another's function."""
    wanted = _taken_apart(demangled)
    if wanted is None:
        return None
    ranked: list[tuple[tuple[bool, bool, int], Kernel]] = []
    for kernel in parsed.kernels:
        score = _score(parsed, kernel, wanted)
        is_template = bool(kernel.template_parameters) or _specialization(parsed, kernel) is not None
        if score is None or (is_template != (wanted.template_arguments is not None) and not wanted.is_mangled):
            continue
        is_special = _specialization(parsed, kernel) is not None
        ranked.append(((kernel.namespaces == wanted.scopes, is_special, score), kernel))
    return max(ranked, key=lambda pair: pair[0])[1] if ranked else None


def kernel_meant(parsed: ParsedSource, name: str) -> Kernel | None:
    """The kernel that an event names: by its key, which of a template holds no arguments, or by a compiled function's name."""
    return next((kernel for kernel in parsed.kernels if kernel.key == name), None) or kernel_of_instance(parsed, name)


def template_arguments_of(kernel: Kernel, instance: str) -> tuple[str, ...]:
    """``("float", "1")`` of ``void ns::tr<float, 1>(…)``, as they are written; empty where the instance has none."""
    match = re.search(rf"\b{re.escape(kernel.name)}\s*<", instance)
    start = len(instance) if match is None else match.end()
    depth = 1
    for offset in range(start, len(instance)):
        depth += {"<": 1, ">": -1}.get(instance[offset], 0)
        if depth == 0:
            return split_arguments(instance[start:offset])
    return ()


def unseen_kernel(demangled: str) -> Kernel | None:
    """A kernel that is known by its instance's name alone, without a text; None for what is no function's name."""
    named = _taken_apart(demangled)
    if named is None:
        return None
    nowhere = Span(0, 0)
    return Kernel(
        name=named.name,
        namespaces=named.scopes,
        template_parameters=tuple(TemplateParameter(f"T{at}", "typename", None) for at in range(len(named.template_arguments or ()))),
        parameters=tuple(
            Parameter("", spelled, nowhere, "*" in spelled, "const" in spelled, is_restrict=False, element_type=None)
            for spelled in named.parameters or ()
        ),
        span=nowhere,
        name_span=nowhere,
        parameters_span=nowhere,
        body=nowhere,
        line=0,
        launch_bounds=(),
        is_extern_c=False,
        device_functions=(),
    )


def _score(parsed: ParsedSource, kernel: Kernel, wanted: _Name) -> int | None:
    """Number of parameter types that are surely equal; None when the kernel cannot be meant."""
    if wanted.file and not is_named_file(parsed.source.path, wanted.file):
        return None
    if kernel.name != wanted.name or not _is_subsequence(wanted.scopes, kernel.namespaces):
        return None
    special = _specialization(parsed, kernel)
    if wanted.template_arguments is not None and not wanted.is_mangled:
        if special is not None and special != wanted.template_arguments:
            return None
        if special is None and not _takes(kernel, wanted.template_arguments):
            return None
    return 0 if wanted.parameters is None else _equal_parameters(kernel, wanted)


def _equal_parameters(kernel: Kernel, wanted: _Name) -> int | None:
    written = wanted.parameters or ()
    declared = _expanded(kernel, wanted.template_arguments or (), len(written))
    if declared is None:
        return None
    equal_count = 0
    for spelled, type_ in zip(written, declared, strict=True):
        one, other = canonical_type(spelled), canonical_type(type_)
        equal_count += one == other
        if one != other and is_builtin(one) and is_builtin(other):
            return None
    return equal_count


def _expanded(kernel: Kernel, arguments: tuple[str, ...], count: int) -> list[str] | None:
    """The types of ``count`` parameters of the instance, packs as so many of them; None when the kernel cannot have so many."""
    types = [parameter.type for parameter in kernel.parameters]
    pack = next((index for index, type_ in enumerate(types) if type_.endswith("...")), None)
    if pack is None:
        return [_of_instance(type_, kernel, arguments) for type_ in types] if count == len(types) else None
    length = count - len(types) + 1
    if length < 0:
        return None
    pattern = types[pack].removesuffix("...").strip()
    elements = [_of_instance(pattern, kernel, arguments, element) for element in range(length)]
    before, behind = ([_of_instance(type_, kernel, arguments) for type_ in part] for part in (types[:pack], types[pack + 1 :]))
    return [*before, *elements, *behind]


def _of_instance(type_: str, kernel: Kernel, arguments: tuple[str, ...], element: int | None = None) -> str:
    """The type with template parameters replaced; a pack by its ``element``, where it has one."""
    parameters = kernel.template_parameters
    at = next((index for index, parameter in enumerate(parameters) if parameter.kind.endswith("...")), len(parameters))
    bound = dict(zip((parameter.name for parameter in parameters[:at]), arguments[:at], strict=False))
    if at < len(parameters):
        of_pack = arguments[at : len(arguments) - (len(parameters) - at - 1)]
        type_ = re.sub(rf"\b{parameters[at].name}\s*\.\.\.", lambda _: ", ".join(of_pack), type_)
        if element is not None and element < len(of_pack):
            bound[parameters[at].name] = of_pack[element]
    return substitute(type_, bound)


def _takes(kernel: Kernel, arguments: tuple[str, ...]) -> bool:
    """Can the kernel's template parameters take so many arguments?"""
    parameters = kernel.template_parameters
    has_pack = any(parameter.kind.endswith("...") for parameter in parameters)
    return bool(parameters) and (has_pack or len(arguments) <= len(parameters))


def _specialization(parsed: ParsedSource, kernel: Kernel) -> tuple[str, ...] | None:
    """Template arguments of an explicit specialization; None for a primary template or an ordinary kernel."""
    between = parsed.source.text[kernel.name_span.end : kernel.parameters_span.start].strip()
    return _template_arguments(between[1:-1]) if between.startswith("<") and between.endswith(">") else None


def _is_subsequence(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    remaining = iter(whole)
    return all(scope in remaining for scope in part)


def _taken_apart(text: str) -> _Name | None:
    file, text = split_name(text.strip())
    name = _name(text)
    return None if name is None else replace(name, file=file)


def _name(text: str) -> _Name | None:
    text = _CLONE.sub("", text.strip())
    if text.startswith("_Z"):
        return _demangled_names(text)
    text = _ANONYMOUS.sub("", text).removeprefix("::")
    text = re.sub(r"^(?:(?:static|inline|void|auto)\s+)+", "", text)
    parts, rest = _path(text)
    if not parts or not parts[-1]:
        return None
    name, angle, arguments = parts[-1].partition("<")
    close = rest.rfind(")")
    parameters = split_arguments(rest[1:close]) if rest.startswith("(") and close > 0 else None
    return _Name(
        scopes=tuple(part.partition("<")[0].strip() for part in parts[:-1]),
        name=name.strip(),
        template_arguments=_template_arguments(arguments.rstrip().removesuffix(">")) if angle else None,
        parameters=() if parameters == ("void",) else parameters,
    )


def _path(text: str) -> tuple[list[str], str]:
    """The parts of a qualified name between ``::``, and what follows it from the first parenthesis on."""
    parts = [""]
    depth = 0
    index = 0
    while index < len(text):
        character = text[index]
        if depth == 0 and character == "(":
            break
        if depth == 0 and text.startswith("::", index):
            parts.append("")
            index += 2
            continue
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        parts[-1] += character
        index += 1
    return parts, text[index:]


def _template_arguments(text: str) -> tuple[str, ...]:
    """The arguments in the spelling that a demangler prints, without casts and suffixes: ``(bool)1`` and ``true`` are ``1``."""
    arguments: list[str] = []
    for spelled in split_arguments(text):
        bare = _INTEGER_SUFFIX.sub("", _CAST.sub("", spelled))
        arguments.append(_BOOLEANS.get(bare, bare) if bare[:1].isdigit() or bare in _BOOLEANS else canonical_type(bare))
    return tuple(arguments)


def _demangled_names(mangled: str) -> _Name | None:
    """The names of an Itanium-mangled function (``_ZN2ns1kIfEEvPT_``): its scopes and itself; types are not read."""
    prefix = _MANGLED_PREFIX.match(mangled)
    if prefix is None:
        return None
    is_nested = prefix[1] is not None
    position = prefix.end()
    names: list[str] = []
    while match := _MANGLED_NAME.match(mangled, position):
        length = int(match[1])
        position = match.end() + length
        names.append(mangled[match.end() : position])
        if not is_nested:
            break
    if not names:
        return None
    scopes = tuple(name for name in names[:-1] if not name.startswith("_GLOBAL__N_"))
    arguments = () if mangled.startswith("I", position) else None
    return _Name(scopes, names[-1], arguments, None, is_mangled=True)
