"""Local variables of device code that may be read before anything was stored in them.

Paths are followed as they are written: both branches of an ``if``, a condition that comes again, a loop as if it ran. What may store
without saying so (a reference, a lambda, a call that is not known) is taken to store. Example::

    unset_reads(SyntaxTree("__device__ float f(bool c) { float v; if (c) v = 1; return v; }"))   # (UnsetRead("f", "v", 1),)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from assistant.cuda.calls import given_arguments, takes_values_only
from assistant.cuda.functions import functions
from assistant.cuda.syntax import Node, SyntaxTree, joined, unparenthesized
from assistant.cuda.variables import Variable, declared_variables
from assistant.record import Record

__all__ = ["UnsetRead", "unset_reads"]

_SCALARS = frozenset(
    {"bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "half", "__half", "size_t", "uint", "uchar", "ushort"}
    | {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64, "ptr")}
)
_WITHOUT_READING = frozenset({"sizeof_expression", "decltype", "alignof_expression", "comment", "lambda_expression"})


class UnsetRead(Record):
    """A variable, and the line where it may be read too early."""

    function: str
    name: str
    line: int


class _State(Record):
    """What is known at one place."""

    unset: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Variables without a value for certain, each with the conditions under which it got one."""
    conditions: frozenset[str] = frozenset()
    """Those that hold here."""

    def declared(self, name: str) -> _State:
        return replace(self, unset={**self.unset, name: frozenset()})

    def stored(self, names: Iterable[str]) -> _State:
        gone = frozenset(names)
        return replace(self, unset={name: under for name, under in self.unset.items() if name not in gone})

    def may_read(self, name: str) -> bool:
        return name not in self.unset or bool(self.unset[name] & self.conditions)


def unset_reads(tree: SyntaxTree) -> tuple[UnsetRead, ...]:
    """Each variable once, where it is read first; in source order."""
    found: list[UnsetRead] = []
    for function in functions(tree):
        if function.is_kernel or function.is_device:
            walk = _Walk(tree)
            walk.through(function.body, _State())
            found += [UnsetRead(function.name, name, line) for name, line in walk.found.items()]
    return tuple(found)


class _Walk:
    """One function."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._tree = tree
        self.found: dict[str, int] = {}
        """Name → line of its first read."""

    def through(self, node: Node, state: _State) -> _State:
        """The state behind ``node``."""
        if node.type in _WITHOUT_READING:
            return state.stored(self._names(node)) if node.type == "lambda_expression" else state
        if node.type == "declaration":
            return self._declaration(node, state)
        if node.type == "if_statement":
            return self._branches(node, state)
        if node.type == "conditional_expression":
            return self._branches(node, state)
        if node.type == "assignment_expression":
            return self._assignment(node, state)
        if node.type == "call_expression":
            return self._call(node, state)
        if node.type == "pointer_expression" and self._tree.text(node).startswith("&"):
            return state.stored(self._names(node))
        if node.type.startswith("gnu_asm"):
            return state.stored(self._names(node))
        if node.type == "identifier":
            self._read(node, state)
            return state
        if node.type == "do_statement":
            return self._in_order((node.child_by_field_name("body"), node.child_by_field_name("condition")), state)
        return self._in_order(node.named_children, state)

    def _in_order(self, nodes: Iterable[Node | None], state: _State) -> _State:
        outer = state.conditions
        for node in nodes:
            if node is not None:
                state = self.through(node, state)
        return replace(state, conditions=outer)

    def _declaration(self, node: Node, state: _State) -> _State:
        for variable in declared_variables(self._tree, node):
            if variable.is_reference and variable.value is not None:
                state = state.stored(self._names(variable.value))
            elif variable.value is not None:
                state = self.through(variable.value, state)
            state = state.declared(variable.name) if self._is_without_value(variable) else state.stored((variable.name,))
        return state

    def _is_without_value(self, variable: Variable) -> bool:
        is_plain = variable.declarator.type == "identifier" and variable.value is None and not variable.is_shared
        text = self._tree.text(variable.node)
        return is_plain and not text.startswith(("static", "extern")) and all(word in _SCALARS for word in variable.type.split())

    def _branches(self, node: Node, state: _State) -> _State:
        """Both branches from the state behind the condition; what only one stores is known under its condition alone."""
        condition, taken, other = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
        condition = condition if condition is None else condition.child_by_field_name("value") or condition
        text = "" if condition is None else self._text(condition)
        state = state if condition is None else self.through(condition, state)
        holds, fails = state.conditions | self._parts(condition) | {text}, state.conditions | {f"not {text}"}
        first = state if taken is None else self.through(taken, replace(state, conditions=holds))
        second = state if other is None else self.through(other, replace(state, conditions=fails))
        if self._leaves(taken):
            return replace(second, conditions=fails)
        if self._leaves(other):
            return replace(first, conditions=holds)
        unset: dict[str, frozenset[str]] = {}
        for name in (first.unset.keys() | second.unset.keys()) & state.unset.keys():
            under = first.unset.get(name, frozenset({text})) | second.unset.get(name, frozenset({f"not {text}"}))
            unset[name] = state.unset[name] | under
        return _State(unset, state.conditions)

    def _parts(self, condition: Node | None) -> frozenset[str]:
        """What else holds where a condition of several parts does."""
        return frozenset[str]() if condition is None else frozenset(map(self._text, joined(unparenthesized(condition), "&&")))

    def _leaves(self, branch: Node | None) -> bool:
        """Whether what stands behind is not reached through this branch."""
        last = branch
        while last is not None and last.type in ("compound_statement", "else_clause") and last.named_children:
            last = last.named_children[-1]
        return last is not None and last.type in (
            "return_statement",
            "continue_statement",
            "break_statement",
            "goto_statement",
            "throw_statement",
        )

    def _assignment(self, node: Node, state: _State) -> _State:
        left, right, operator = (node.child_by_field_name(name) for name in ("left", "right", "operator"))
        state = state if right is None else self.through(right, state)
        if left is None:
            return state
        target = unparenthesized(left)
        if target.type != "identifier":
            return self.through(target, state)
        if operator is not None and self._tree.text(operator) != "=":
            self._read(target, state)
        return state.stored((self._tree.text(target),))

    def _call(self, node: Node, state: _State) -> _State:
        if takes_values_only(self._tree, node):
            return self._in_order(node.named_children, state)
        stored = [self._tree.text(argument) for argument in given_arguments(node) if argument.type == "identifier"]
        return self._in_order(node.named_children, state.stored(stored)).stored(stored)

    def _read(self, node: Node, state: _State) -> None:
        name = self._tree.text(node)
        if not state.may_read(name):
            self.found.setdefault(name, self._tree.line(node))

    def _names(self, node: Node) -> set[str]:
        return {self._tree.text(found) for found in self._tree.find("identifier", inside=node)}

    def _text(self, node: Node) -> str:
        return "".join(self._tree.text(unparenthesized(node)).split())
