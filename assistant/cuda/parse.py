"""What a CUDA text holds: kernels, device functions, launch sites, and what cannot be read.

Never raises on half-typed code.

Example::

    parsed = parse(Source(path, "__global__ void k(float *a) {}\\nint main() { k<<<1, 32>>>(p); }"))
    parsed.kernels[0].key, parsed.launch_sites[0].block.text   # ('k(float *)', '32')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.functions import Function, called_names, functions
from assistant.cuda.launches import launch_sites
from assistant.cuda.macro_kernels import spelled_out, with_macro_kernels
from assistant.cuda.macros import macro_texts
from assistant.cuda.parameters import function_parameters, template_parameters
from assistant.cuda.reading import matching_close, split_arguments
from assistant.cuda.recovery import recover
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import DeviceFunction, Kernel, ParsedSource, ParseProblem, Source, Span

__all__ = ["parse", "parse_with_trees"]

_LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\s*\(")
_MAIN = re.compile(r"^(?:extern\s+\"C\"\s+)?int\s+main\s*\([^;{}]*\)\s*\{", re.MULTILINE)
_SHOUTED = re.compile(r"[A-Z][A-Z0-9_]{2,}(?!\w)")
_STRING_PARTS = re.compile(r'\s*(?:\w+\s+)?"(?:\\.|[^"\\\n])*"(?:\s*\w+)?\s*')
_CALL_AT_END = re.compile(r"^[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*\([^;{}]*\)\s*\Z", re.MULTILINE)
_MACRO_CALL_CHARACTERS = 400
"""How far back the call that a missing semicolon stands behind is looked for."""
_SHOWN_CHARACTERS = 40
"""Length of the unreadable text quoted in a problem."""


def parse(source: Source) -> ParsedSource:
    """Everything the text holds; what cannot be read becomes a problem and the rest is still found."""
    return parse_with_trees(source)[0]


def parse_with_trees(source: Source, before: Sequence[SyntaxTree] = ()) -> tuple[ParsedSource, tuple[SyntaxTree, ...]]:
    """As ``parse``, with the trees it was read from; several, each with a part of the text, where brackets do not match.

    ``before``: the trees of an earlier text of it, which make reading it quicker.
    """
    parsed, trees = _parsed_alone(source, before)
    return with_macro_kernels(parsed, lambda other: _parsed_alone(other)[0]), trees


def _parsed_alone(source: Source, before: Sequence[SyntaxTree] = ()) -> tuple[ParsedSource, tuple[SyntaxTree, ...]]:
    """Without kernels that stand in macros."""
    recovered = recover(source.text, before)
    found = [(tree, function) for tree in recovered.trees for function in functions(tree)]
    helpers = tuple(_device_function(tree, f) for tree, f in found if f.is_device and not f.is_kernel)
    calls = _calls_by_name(helpers)
    problems = (*recovered.problems, *(problem for tree in recovered.trees for problem in _problems(tree)))
    parsed = ParsedSource(
        source=source,
        kernels=tuple(_kernel(tree, f, calls) for tree, f in found if f.is_kernel),
        device_functions=helpers,
        launch_sites=tuple(site for tree in recovered.trees for site in launch_sites(tree)),
        has_main=any(f.name == "main" and not f.scopes for _, f in found) or any(_hides_main(tree) for tree in recovered.trees),
        problems=tuple(sorted(problems, key=lambda problem: (problem.span, problem.message))),
    )
    return parsed, recovered.trees


def _hides_main(tree: SyntaxTree) -> bool:
    """Whether a text that cannot be read as a whole (branches of ``#if`` that open braces, a launch in one) has a ``main`` all the same."""
    return any(True for _ in tree.problems()) and _MAIN.search(tree.reading.code) is not None


def _kernel(tree: SyntaxTree, function: Function, calls: Mapping[str, tuple[str, ...]]) -> Kernel:
    parameters_span = tree.span(function.parameter_list)
    return Kernel(
        name=spelled_out(function.name, tree.source),
        namespaces=function.scopes,
        template_parameters=() if function.template is None else template_parameters(tree, function.template),
        parameters=function_parameters(tree, function.parameter_list),
        span=function.span,
        name_span=function.name_span,
        parameters_span=parameters_span,
        body=tree.span(function.body),
        line=function.line,
        launch_bounds=_launch_bounds(tree, Span(function.span.start, parameters_span.start)),
        is_extern_c=function.is_extern_c,
        device_functions=_reached(called_names(tree, function.body), calls),
        is_internal=function.is_internal,
    )


def _device_function(tree: SyntaxTree, function: Function) -> DeviceFunction:
    calls = called_names(tree, function.body)
    return DeviceFunction(function.name, function.span, tree.span(function.body), function.line, calls)


def _calls_by_name(helpers: tuple[DeviceFunction, ...]) -> dict[str, tuple[str, ...]]:
    """What each name may call; overloads count together."""
    calls: dict[str, tuple[str, ...]] = {}
    for helper in helpers:
        calls[helper.name] = (*calls.get(helper.name, ()), *helper.calls)
    return calls


def _reached(first: tuple[str, ...], calls: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Device functions reachable from ``first``, nearest first."""
    reached: dict[str, None] = {}
    waiting = list(first)
    for name in waiting:
        if name in calls and name not in reached:
            reached[name] = None
            waiting.extend(calls[name])
    return tuple(reached)


def _launch_bounds(tree: SyntaxTree, head: Span) -> tuple[str, ...]:
    match = _LAUNCH_BOUNDS.search(tree.reading.code, head.start, head.end)
    close = None if match is None else matching_close(tree.reading.code, match.end() - 1)
    return () if match is None or close is None else split_arguments(tree.source[match.end() : close])


def _problems(tree: SyntaxTree) -> Iterator[ParseProblem]:
    for node in tree.problems():
        if _is_macro(tree, node) or _is_joined_string(tree, node) or _ends_macro_call(tree, node) or _is_instantiated(node):
            continue
        span = tree.span(node)
        shown = Span(span.start, _end_of_line(tree.source, span))
        yield ParseProblem(tree.line(node), shown, _message(tree, node, tree.source[shown.start : shown.end]))


def _is_macro(tree: SyntaxTree, node: Node) -> bool:
    """Is it what the grammar makes of a macro in capitals before a type, ``API void f()``?"""
    before = node.prev_named_sibling
    if not node.is_error or before is None or before.type != "type_identifier":
        return False
    is_one_word = all(child.type == "identifier" for child in node.children)
    return is_one_word and _SHOUTED.fullmatch(tree.text(before)) is not None


def _is_joined_string(tree: SyntaxTree, node: Node) -> bool:
    """Is it part of a string that macros are part of, ``"%" PRIu32 "\\n"``?"""
    return node.is_error and _STRING_PARTS.fullmatch(tree.text(node)) is not None


def _ends_macro_call(tree: SyntaxTree, node: Node) -> bool:
    """Is it the missing semicolon behind ``DEFINE_KERNELS(float)``, which declares something by a macro of the text?"""
    if not node.is_missing or node.type != ";":
        return False
    start = tree.span(node).start
    match = _CALL_AT_END.search(tree.reading.code[max(0, start - _MACRO_CALL_CHARACTERS) : start])
    return match is not None and match["name"] in macro_texts(tree)


def _is_instantiated(node: Node) -> bool:
    """Is it the name that the grammar misses in ``template struct Plan<int>;``, which instantiates a class?"""
    before = node.prev_named_sibling
    is_class = before is not None and before.type in ("struct_specifier", "class_specifier", "union_specifier")
    return node.is_missing and is_class and node.parent is not None and node.parent.type == "template_instantiation"


def _message(tree: SyntaxTree, node: Node, shown: str) -> str:
    if node.is_missing:
        return f"missing `{node.type}`"
    if '"' in shown and shown.count('"') % 2 == 1:
        return "this string is not finished"
    if "<<<" in tree.text(node):
        return "this launch is not finished"
    short = shown if len(shown) <= _SHOWN_CHARACTERS else shown[:_SHOWN_CHARACTERS] + "…"
    return f"cannot read `{short.strip()}`"


def _end_of_line(text: str, span: Span) -> int:
    """The end of the span's first line."""
    newline = text.find("\n", span.start, span.end)
    return span.end if newline < 0 else newline
