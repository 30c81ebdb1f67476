"""Launch stubs: for each declaration of a kernel, a host function next to it with the same template head and parameters.

``template <class T> __global__ void k(T* a, int n = 1) {…}`` gets ``template <class T> void emu_stub_k(const EmuConfig& emu_config,
T* a, int n = 1) { emu_start(emu_config, &k<T>, {&a, &n}); }``. So overload resolution, deduction, default arguments and conversions at
a launch are the compiler's own, and the core receives the address of the very instance.
"""

from __future__ import annotations

from assistant.emulator.translate.context import kernel_name
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.packs import is_pack
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Function, after_template, name_position, split_commas
from assistant.record import Record

STUB_PREFIX = "emu_stub_"
_DROPPED_WITH_ARGUMENTS = {"__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__", "__attribute__"}
_DROPPED = {"__host__", "__device__", "__forceinline__", "__noinline__", "volatile"}
_TYPE_WORDS = {
    "int", "unsigned", "signed", "long", "short", "char", "float", "double", "bool", "void", "const", "auto", "wchar_t",
    "__restrict__", "__restrict", "typename", "struct", "class", "enum",
}  # fmt: skip


class _Parameter(Record):
    text: str
    """As declared, with a name put in where there was none."""
    name: str
    is_pack: bool
    own_pointer: str = ""
    """For a reference: the stub's variable that holds its address."""


def stub_text(stream: Stream, kernel: Function, global_words: set[str], renames: dict[int, str]) -> str | None:
    """The stub to put behind the kernel's declaration; None for specialisations, which the primary serves."""
    head = kernel.head
    if stream.text(head.start) == "template" and stream.text(head.start + 1) != "<":
        return _instantiation(stream, kernel, global_words, renames)
    behind_template = after_template(stream, head.start)
    if stream.text(head.start) == "template" and behind_template == head.start + 3:
        return None
    position = name_position(stream, head)
    if position is None or stream.tokens[position[0]].kind is not Kind.NAME:
        return None
    last_name, opener = position
    first_name = kernel_name(stream, last_name)[1]
    spell = _Speller(stream, renames)
    template_head, template_arguments = _template(spell, range(head.start, behind_template))
    items = [r for r in split_commas(stream, range(opener + 1, stream.close(opener))) if not _is_void(stream, r)]
    parameters = [_parameter(spell, r, i) for i, r in enumerate(items)]
    specifiers = _specifiers(spell, range(behind_template, first_name), global_words)
    is_pasted = stream.text(first_name + 1) == "##"
    stub_name = STUB_PREFIX + (" ## " if is_pasted else "") + spell.span(range(first_name, last_name + 1))
    signature = ", ".join(["const EmuConfig& emu_config", *(p.text for p in parameters)])
    prefix = f"{template_head}EMU_HOST "
    if kernel.body is not None and not template_head and not {"static", "inline"} & kernel.words and "" not in kernel.scope:
        prefix += "__attribute__((weak)) "
    declaration = f" {prefix}{specifiers} {stub_name}({signature})"
    if kernel.body is None:
        return declaration + ";"
    types = ", ".join(map(_passed_type, parameters))
    values = ", ".join(f"__builtin_addressof({p.own_pointer or p.name}){'...' if p.is_pack else ''}" for p in parameters)
    plain_name = spell.span(range(first_name, last_name + 1))
    is_hidden = plain_name in {parameter.name for parameter in parameters}
    whole_name = "::".join(("", *filter(None, kernel.scope), plain_name)) if is_hidden else plain_name
    instance = whole_name + template_arguments
    pointers = "".join(f" auto {p.own_pointer} = __builtin_addressof({p.name});" for p in parameters if p.own_pointer)
    address = f"reinterpret_cast<void (*)({types})>(&{instance})" if pointers else f"&{instance}"
    return f"{declaration} {{{pointers} void (*emu_kernel)({types}) = {address}; emu_start(emu_config, emu_kernel, {{{values}}}); }}"


def _passed_type(parameter: _Parameter) -> str:
    """As the kernel's machine code takes it: a reference is the address of what the host's program has there."""
    if parameter.own_pointer:
        return f"decltype({parameter.own_pointer})"
    return f"decltype(emu_value({parameter.name})){'...' if parameter.is_pack else ''}"


def _instantiation(stream: Stream, kernel: Function, global_words: set[str], renames: dict[int, str]) -> str | None:
    """Instantiates the stub of an instance that other units launch: ``template __global__ void k<1>(float*);`` instantiates
    ``emu_stub_k<1>`` too."""
    position = name_position(stream, kernel.head)
    if position is None or kernel.body is not None:
        return None
    last_name, opener = position
    first_name = kernel_name(stream, last_name)[1]
    while stream.text(first_name - 1) == "::":
        first_name -= 2
    plain_name = kernel_name(stream, last_name)[1]
    spell = _Speller(stream, renames)
    specifiers = _specifiers(spell, range(kernel.head.start + 1, first_name), global_words)
    scope, name = spell.span(range(first_name, plain_name)), spell.span(range(plain_name, last_name + 1))
    items = [r for r in split_commas(stream, range(opener + 1, stream.close(opener))) if not _is_void(stream, r)]
    types = ", ".join(["const EmuConfig&", *map(spell.span, items)])
    return f" template EMU_HOST {specifiers} {scope} {STUB_PREFIX}{name}({types});"


class _Speller:
    """Text of token ranges with renames applied."""

    def __init__(self, stream: Stream, renames: dict[int, str]) -> None:
        self.stream = stream
        self.renames = renames

    def word(self, index: int) -> str:
        token = self.stream.tokens[index]
        return self.renames.get(token.start, token.text)

    def span(self, indexes: range) -> str:
        return " ".join(self.word(i) for i in indexes)


def _is_void(stream: Stream, indexes: range) -> bool:
    return not indexes or (len(indexes) == 1 and stream.text(indexes.start) == "void")


def _specifiers(spell: _Speller, indexes: range, global_words: set[str]) -> str:
    words: list[str] = []
    i = indexes.start
    while i < indexes.stop:
        text = spell.stream.text(i)
        if text in _DROPPED_WITH_ARGUMENTS:
            i = spell.stream.close(i + 1) if spell.stream.text(i + 1) == "(" else i
        elif text in global_words and spell.stream.text(i + 1) == "(":
            i = spell.stream.close(i + 1)
        elif text == "[" and spell.stream.text(i + 1) == "[":
            i = spell.stream.close(i)
        elif text not in global_words and text not in _DROPPED:
            words.append(spell.word(i))
        i += 1
    return " ".join(words)


def _template(spell: _Speller, indexes: range) -> tuple[str, str]:
    """(template head, arguments that name the same instance); both empty for an ordinary function."""
    if not indexes:
        return "", ""
    stream = spell.stream
    opener = indexes.start + 1
    items = split_commas(stream, range(opener + 1, stream.close_angle(opener)))
    heads: list[str] = []
    names: list[str] = []
    for number, item in enumerate(items):
        equals = next((i for i in item if stream.text(i) == "="), item.stop)
        declared = range(item.start, equals)
        name, head = _named(spell, declared, f"emu_t{number}")
        default = spell.span(range(equals, item.stop)) + _missing_closers(stream, item)
        heads.append(f"{head} {default}")
        names.append(name + ("..." if is_pack(stream, declared) else ""))
    tail = spell.span(range(stream.close_angle(opener) + 1, indexes.stop))
    return f"template <{', '.join(heads)}> {tail}", f"<{', '.join(names)}>"


def _named(spell: _Speller, declared: range, own_name: str) -> tuple[str, str]:
    """(name of a template parameter, its declaration with that name); ``own_name`` is put in where there was none."""
    stream = spell.stream
    place = _pointer_name(stream, declared)
    if place is not None:
        return spell.word(place), spell.span(declared)
    star = _unnamed_pointer(stream, declared)
    if star is not None:
        return own_name, f"{spell.span(range(declared.start, star + 1))} {own_name} {spell.span(range(star + 1, declared.stop))}"
    last = declared.stop - 1
    has_name = stream.tokens[last].kind is Kind.NAME and len(declared) > 1 and stream.text(last) not in _TYPE_WORDS
    if has_name and stream.text(last - 1) != "::":
        return spell.word(last), spell.span(declared)
    return own_name, f"{spell.span(declared)} {own_name}"


def _missing_closers(stream: Stream, item: range) -> str:
    """The ``>`` of inner lists that share a ``>>`` or ``>>>`` token with the end of the outer list."""
    return ">" * sum(stream.text(i) == "<" and stream.close_angle(i) >= item.stop for i in item)


def _parameter(spell: _Speller, indexes: range, number: int) -> _Parameter:
    stream = spell.stream
    equals = next((i for i in indexes if stream.text(i) == "="), indexes.stop)
    declared = range(indexes.start, equals)
    default = spell.span(range(equals, indexes.stop))
    has_pack = is_pack(stream, declared)
    place = _name_place(stream, declared)
    if place is not None:
        is_reference = stream.text(place - 1) in ("&", "&&") and not has_pack
        own_pointer = f"emu_r{number}" if is_reference else ""
        return _Parameter(f"{spell.span(declared)} {default}".strip(), spell.word(place), has_pack, own_pointer)
    name = f"emu_p{number}"
    bracket = next((i for i in declared if stream.text(i) == "["), declared.stop)
    text = f"{spell.span(range(declared.start, bracket))} {name}{spell.span(range(bracket, declared.stop))} {default}"
    return _Parameter(text.strip(), name, has_pack)


def _name_place(stream: Stream, declared: range) -> int | None:
    """Index of the parameter's name; None when it has none."""
    pointer = _pointer_name(stream, declared)
    if pointer is not None:
        return pointer
    stop = next((i for i in declared if stream.text(i) == "["), declared.stop)
    last = stop - 1
    if last <= declared.start or stream.tokens[last].kind is not Kind.NAME:
        return None
    if stream.text(last) in _TYPE_WORDS or stream.text(last - 1) == "::":
        return None
    earlier = [stream.text(i) for i in range(declared.start, last)]
    if all(word in ("const", "volatile", "typename", "struct", "class", "enum", "__grid_constant__") for word in earlier):
        return None
    return last


def _pointer_name(stream: Stream, declared: range) -> int | None:
    """Index of the name in ``float (*name)(float)`` or ``int (&name)[4]``; None when it is no such declaration or has no name."""
    for i in declared:
        if stream.text(i) == "(" and stream.text(i + 1) in ("*", "&"):
            names = (k for k in range(i + 1, stream.close(i)) if stream.tokens[k].kind is Kind.NAME and stream.text(k) not in _TYPE_WORDS)
            inner = next(names, None)
            if inner is not None:
                return inner
    return None


def _unnamed_pointer(stream: Stream, declared: range) -> int | None:
    """Index of the ``*`` or ``&`` of ``float (*)(float)``; None where there is none."""
    starts = (i + 1 for i in declared if stream.text(i) == "(" and stream.text(i + 1) in ("*", "&") and stream.text(i + 2) == ")")
    return next(starts, None)
