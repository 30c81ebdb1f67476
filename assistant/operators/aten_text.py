"""C++ declarations of PyTorch's functions, written from their schemas: each asks for the function by its name, and PyTorch computes it.

Example::

    declared = declarations(["aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"])
    declared.functions      # inline Tensor softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype = std::nullopt) {…}
    declared.methods        # the same without `self`, for the inside of the class
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.record import Record

__all__ = ["Declarations", "declarations"]

_SCHEMA = re.compile(r"aten::(\w+)(?:\.(\w+))?\((.*)\) -> (.+)")
_ARGUMENT = re.compile(r"(?P<type>[\w.]+)(?:\((?P<alias>[^)]*)\))?(?P<list>\[\d*\])?(?P<maybe>\?)? (?P<name>\w+)(?:=(?P<default>.+))?")
_PLAIN = {
    "Tensor": "const Tensor&", "Scalar": "const Scalar&", "int": "int64_t", "SymInt": "int64_t", "float": "double", "bool": "bool",
    "str": "std::string_view", "ScalarType": "ScalarType",
}  # fmt: skip
_LEFT_OUT = frozenset({"Layout", "Device", "Generator", "MemoryFormat"})
"""Types that decide nothing here: nothing is given for them where that is allowed."""
_OPTIONS = ("dtype", "layout", "device", "pin_memory")
"""Arguments that C++ has as one, `TensorOptions`."""
_NATIVE_METHODS = frozenset({
    "dim", "size", "stride", "is_contiguous", "data", "contiguous", "clone", "copy_", "zero_", "fill_", "view", "reshape", "flatten",
    "view_as", "transpose", "t", "permute", "unsqueeze", "squeeze", "to", "type_as", "detach", "select", "slice", "narrow",
    "split", "chunk", "unbind", "expand", "expand_as", "item", "numel", "is_floating_point", "index", "index_put_",
})  # fmt: skip
"""Those that `kernelopt/tensor.h` has."""
_NATIVE_FUNCTIONS = frozenset({"empty", "zeros", "full", "ones", "empty_like", "zeros_like", "ones_like", "full_like", "tensor"})


class Declarations(Record):
    """``methods`` stands inside the class of tensors and is one line, ``functions`` in the namespace ``at``."""

    methods: str
    functions: str


class _Argument(Record):
    name: str
    cpp: str | None
    """Its type; None where nothing is given for it."""
    default: str | None
    is_changed: bool
    is_tensors: bool


def declarations(schemas: Sequence[str]) -> Declarations:
    """Of functions on tensors; what C++ here has no types for is left out. Schemas are as PyTorch prints them."""
    methods, functions = dict[str, str](), dict[str, str]()
    for schema in schemas:
        found = _SCHEMA.fullmatch(schema)
        if found is None or "..." in schema:
            continue
        name, overload, given, returned = found.groups()
        arguments = _arguments(given)
        result = _result(returned)
        if arguments is None or result is None or "Tensor" not in f"{given}{returned}":
            continue
        full = name if overload is None else f"{name}.{overload}"
        if arguments[-1].is_changed and arguments[-1].name == "out":
            _declare_out(functions, name, full, arguments)
            continue
        if name not in _NATIVE_FUNCTIONS:
            _declare(functions, name, full, result, arguments, is_method=False)
        if arguments[0].name == "self" and name not in _NATIVE_METHODS and not any(each.is_tensors for each in arguments):
            _declare(methods, name, full, result, arguments, is_method=True)
    return Declarations(" ".join(dict.fromkeys(methods.values())), "\n".join(dict.fromkeys(functions.values())))


def _arguments(given: str) -> list[_Argument] | None:
    """None where one has no counterpart, or is where one of several results is to be written."""
    made: list[_Argument] = []
    keyword_only = given.partition("*, ")[2]
    for text in _parts(given):
        if text == "*":
            continue
        found = _ARGUMENT.fullmatch(text)
        if found is None:
            return None
        is_changed = "!" in (found["alias"] or "")
        if is_changed and f"Tensor({found['alias']}) {found['name']}" in keyword_only and found["name"] != "out":
            return None
        cpp = _type(found)
        is_optional = found["maybe"] is not None or found["default"] is not None
        if cpp is None and not (is_optional and found["type"] in _LEFT_OUT):
            return None
        made.append(_Argument(found["name"], cpp, _default(found), is_changed, found["type"] == "Tensor" and found["list"] is not None))
    return _with_options(made) if made else None


def _parts(given: str) -> list[str]:
    """At commas outside of brackets and quotes."""
    return [part.strip() for part in re.split(r",\s*(?![^\[]*\])(?![^(]*\))", given) if part.strip()]


def _type(found: re.Match[str]) -> str | None:
    base, is_list, is_optional = found["type"], found["list"] is not None, found["maybe"] is not None
    if is_list:
        if base in ("int", "SymInt"):
            return "const OptionalIntArrayRef&" if is_optional else "const IntArrayRef&"
        return "const TensorList&" if base == "Tensor" and not is_optional else None
    plain = _PLAIN.get(base)
    if plain is None or not is_optional:
        return plain
    return f"const std::optional<{plain.removeprefix('const ').removesuffix('&')}>&"


def _default(found: re.Match[str]) -> str | None:
    given = found["default"]
    if given is None:
        return None
    if given == "None":
        return "{}" if found["list"] else "std::nullopt"
    if given.startswith("["):
        return f"{{{given[1:-1]}}}"
    if found["type"] == "str":
        return f'"{given[1:-1]}"'
    return {"False": "false", "True": "true"}.get(given, given)


def _with_options(arguments: list[_Argument]) -> list[_Argument]:
    """``dtype, layout, device, pin_memory`` as one argument, of which the type of the elements counts."""
    names = tuple(each.name for each in arguments)
    for at in range(len(names) - len(_OPTIONS) + 1):
        if names[at : at + len(_OPTIONS)] == _OPTIONS:
            rest = [_Argument(name, None, None, False, False) for name in _OPTIONS[1:]]
            arguments[at : at + len(_OPTIONS)] = [_Argument("options", "TensorOptions", "{}", False, False), *rest]
            break
    return arguments


def _result(returned: str) -> str | None:
    if returned == "()":
        return "void"
    if returned.startswith("("):
        types = [_result(part.rpartition(" ")[0] or part) for part in _parts(returned[1:-1])]
        return f"std::tuple<{', '.join(each or '' for each in types)}>" if all(each == "Tensor" for each in types) else None
    plain = re.sub(r"\([^)]*\)", "", returned)
    known = {"Tensor": "Tensor", "Tensor[]": "std::vector<Tensor>", "int": "int64_t", "float": "double", "bool": "bool", "Scalar": "Scalar"}
    return known.get(plain)


def _declare(into: dict[str, str], name: str, full: str, result: str, arguments: list[_Argument], *, is_method: bool) -> None:
    """``into``: what is declared, by each list of types that it can be called with."""
    shown = [each for each in arguments if each.cpp is not None]
    shown = shown[1:] if is_method else shown
    least = next((at for at, each in enumerate(shown) if each.default is not None), len(shown))
    keys = [f"{name}({', '.join(each.cpp or '' for each in shown[:count])})" for count in range(len(shown) + 1)]
    free = next((count for count in range(len(shown), least - 1, -1) if keys[count] in into), least - 1) + 1
    if free > len(shown):
        return
    passed = ["std::nullopt" if each.cpp is None else _passed(each, is_own=is_method and at == 0) for at, each in enumerate(arguments)]
    words = ", ".join(f"{each.cpp} {each.name}{_equals(each) if at >= free else ''}" for at, each in enumerate(shown))
    asked = f'kernelopt::aten<{{}}>("{full}", {", ".join(passed)})'
    if arguments[0].is_changed:
        returned, own = ("Tensor&", "const_cast<Tensor&>(*this)") if is_method else ("const Tensor&", arguments[0].name)
        body = f"{asked.format('void')}; return {own};"
    else:
        returned, body = result, f"return {asked.format(result)};"
    text = f"{returned} {name}({words}) const {{ {body} }}" if is_method else f"inline {returned} {name}({words}) {{ {body} }}"
    into.update(dict.fromkeys(keys[free:], text))


def _declare_out(into: dict[str, str], name: str, full: str, arguments: list[_Argument]) -> None:
    """In C++ what is written comes first, and all that decides how is given."""
    *others, out = arguments
    shown = [each for each in others if each.cpp is not None]
    words = ", ".join(("Tensor& out", *(f"{each.cpp} {each.name}{_equals(each)}" for each in shown)))
    passed = ", ".join("std::nullopt" if each.cpp is None else _passed(each, is_own=False) for each in (*others, out))
    key = f"{name}_out({', '.join(each.cpp or '' for each in shown)})"
    into.setdefault(key, f'inline Tensor& {name}_out({words}) {{ kernelopt::aten<void>("{full}", {passed}); return out; }}')


def _passed(argument: _Argument, *, is_own: bool) -> str:
    return "*this" if is_own else "options.given()" if argument.cpp == "TensorOptions" else argument.name


def _equals(argument: _Argument) -> str:
    return "" if argument.default is None else f" = {argument.default}"
