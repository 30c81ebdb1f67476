"""Kernels around a block's scan in which a thread may as well bring several neighbouring items, and get what comes of each of them.

Each item is one element behind each pointer, at the thread's index in the grid: loaded before the steps, stored behind them.

Example::

    # int i = blockIdx.x * SIZE + t;  buf[t] = i < n ? in[i] : 0;  …  if (i < n) out[i] = buf[t];
    scanned_items(context, scan, block)     # ScannedItems(bound='n', inputs={'in': 'int'}, …); None for a kernel of another form
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import Assignment, assignments, changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, binary_parts, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.first_items import is_thread, spelled
from assistant.plan.expert.analysis.lone_threads import LoneStatement, lone_statement_of
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.shared_scan import SharedScan
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.plan.expert.analysis.thread_index import is_place_in_grid
from assistant.plan.expert.analysis.thread_stores import choice_of
from assistant.plan.expert.analysis.tile_loads import is_unconditional
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["ItemStore", "ItemStores", "ItemValue", "ScannedItems", "scanned_items"]

_EFFECTS = ("update_expression", "assignment_expression", "pointer_expression", "lambda_expression", "new_expression", *LOOPS)
_OWN_NAMES = frozenset({"threadIdx", "blockDim", "gridDim"})


class ItemValue(Record):
    """What is computed for one item before the steps; the last one is what the scan is of."""

    variable: Variable | None
    """The local that has it; None where it is stored right away."""
    then: Node
    otherwise: str | None
    """What there is in its place beyond the bound; None where no condition asks."""


class ItemStore(Record):
    """``out[i] = value``."""

    pointer: str
    value: Node


class ItemStores(Record):
    """A statement behind the steps that stores what comes of an item, in one array or in several."""

    statement: Node
    stores: tuple[ItemStore, ...]


class ScannedItems(Record):
    """The parts of such a kernel."""

    index: Variable
    """The thread's index in the grid, used for its item alone."""
    bound: str | None
    """The index stays below, in loads and stores; None where none is asked for."""
    values: tuple[ItemValue, ...]
    inputs: Mapping[str, str]
    """Types of the elements that are loaded, by pointer."""
    elements: tuple[Node, ...]
    """Every place before the steps and behind them that names such an element."""
    outputs: Mapping[str, str]
    stores: tuple[ItemStores, ...]
    lone: tuple[LoneStatement, ...]
    gone: tuple[Node, ...]
    """Statements before the steps that do nothing but compute an item's values; declarations may hold more."""

    @property
    def is_loaded_alone(self) -> bool:
        """The scan is of the elements themselves."""
        return len(self.values) == 1 and self.values[0].then in self.elements


def scanned_items(context: TransformationContext, scan: SharedScan, block: Dim3) -> ScannedItems | None:
    """The kernel's parts; None where a thread does more than its item needs."""
    function = enclosing_function(context.tree, context.body)
    index = _index(context, scan)
    return None if function is None or index is None else _Reader(context, function, scan, block, index).items()


def _index(context: TransformationContext, scan: SharedScan) -> Variable | None:
    """The local of the kernel's body that is the thread's index in the grid."""
    found = [variables[0] for variables in locals_of(context.tree, context.body).values() if len(variables) == 1]
    found = [v for v in found if v.node.parent == context.body and v.node.end_byte <= scan.fill.statement.start_byte]
    found = [v for v in found if v.value is not None and "threadIdx" in spelled(context, v.value) and is_place_in_grid(context, v)]
    return found[0] if len(found) == 1 else None


class _Reader:
    def __init__(self, context: TransformationContext, function: Function, scan: SharedScan, block: Dim3, index: Variable) -> None:
        self._context, self._tree, self._function, self._scan = context, context.tree, function, scan
        self._block, self._index = block, index
        self._bounds: set[str | None] = set()
        self._elements: list[Node] = []
        self._inputs: dict[str, str] = {}
        self._outputs: dict[str, str] = {}

    def items(self) -> ScannedItems | None:
        scan, body = self._scan, without_comments(self._context.body)
        before = [n for n in body if n.end_byte <= scan.fill.statement.start_byte]
        behind = [n for n in body if n.start_byte >= scan.last.end_byte]
        found = self._values(before)
        if found is None:
            return None
        values, gone = found
        stores, lone = list[ItemStores](), list[LoneStatement]()
        for statement in behind:
            stored = self._stores(statement, values)
            alone = lone_statement_of(self._context, scan, statement, self._block) if stored is None else None
            if stored is not None:
                stores.append(stored)
            elif alone is not None and not names_in(self._tree, statement) & self._names(values):
                lone.append(alone)
            else:
                return None
        if not stores or not self._inputs or len(self._bounds) != 1:
            return None
        (bound,), elements = self._bounds, tuple(self._elements)
        parts = (tuple(values), self._inputs, elements, self._outputs, tuple(stores), tuple(lone), tuple(gone))
        return ScannedItems(self._index, bound, *parts)

    def _names(self, values: Sequence[ItemValue]) -> set[str]:
        """What belongs to one item."""
        return {self._index.name, *(value.variable.name for value in values if value.variable is not None)}

    def _values(self, before: Sequence[Node]) -> tuple[list[ItemValue], list[Node]] | None:
        """What is computed for an item, and the statements that do that alone."""
        found, gone = list[ItemValue](), list[Node]()
        counters = {counter.name for counter in self._scan.counters}
        for statement in before:
            if statement.type == "if_statement":
                value = self._set_later(statement, found)
                if value is None:
                    return None
                found[-1] = value
                gone.append(statement)
                continue
            if statement.type != "declaration":
                return None
            for variable in declared_variables(self._tree, statement):
                if variable.is_shared or variable.name == self._index.name or variable.name in counters or self._is_common(variable):
                    continue
                value = self._declared(variable, found)
                if value is None:
                    return None
                found.append(value)
        last = self._stored(found)
        return None if last is None else ([*found, *last], gone)

    def _is_common(self, variable: Variable) -> bool:
        """The thread's place, or what all threads of the block have alike and no later statement sets."""
        if variable.value is None or variable.is_array or variable.is_reference:
            return False
        is_set = variable.name in changed_names(self._tree, self._context.body)
        is_alike = thread_axes(self._tree, self._function, variable.value) == frozenset()
        return not is_set and (is_alike or is_thread(self._context, variable.value))

    def _declared(self, variable: Variable, earlier: Sequence[ItemValue]) -> ItemValue | None:
        """``int value = i < n ? in[i] : 0;``, or ``int value = 0;`` that an ``if`` sets."""
        if variable.value is None or variable.is_pointer or variable.is_array or variable.is_reference or variable.type == "auto":
            return None
        return self._value(variable, unparenthesized(variable.value), earlier)

    def _value(self, variable: Variable | None, node: Node, earlier: Sequence[ItemValue]) -> ItemValue | None:
        choice = choice_of(node)
        if choice is not None and self._bound_of(choice.condition) is not None:
            return self._checked(variable, choice.condition, choice.then, self._plain(choice.otherwise), earlier)
        return self._checked(variable, None, node, None, earlier)

    def _set_later(self, statement: Node, found: Sequence[ItemValue]) -> ItemValue | None:
        """``if (i < n) value = in[i];`` of the local that was declared last."""
        change, condition = self._only_assignment(statement), condition_of(statement)
        variable = found[-1].variable if found else None
        if change is None or change.value is None or condition is None or variable is None or variable.value is None:
            return None
        if self._tree.text(change.target) != variable.name or change.operator != "=" or found[-1].otherwise is not None:
            return None
        return self._checked(variable, condition, change.value, self._plain(variable.value), found[:-1])

    def _only_assignment(self, statement: Node) -> Assignment | None:
        """The assignment that an ``if`` without ``else`` makes, or a plain statement."""
        branch = statement.child_by_field_name("consequence") if statement.type == "if_statement" else statement
        only = None if branch is None or statement.child_by_field_name("alternative") is not None else lone_statement(branch)
        change = None if only is None or only.type != "expression_statement" else next(iter(assignments(self._tree, only)), None)
        return change if change is not None and change.node.parent == only else None

    def _stored(self, found: Sequence[ItemValue]) -> tuple[ItemValue, ...] | None:
        """What the fill adds: nothing where it stores the last local."""
        fill, last = self._scan.fill, found[-1].variable if found else None
        if fill.condition is None and last is not None and self._tree.text(unparenthesized(fill.value)) == last.name:
            return ()
        if fill.condition is None:
            value = self._value(None, unparenthesized(fill.value), found)
        else:
            nothing = "1" if self._scan.combination is Combination.PRODUCT else "0"
            otherwise = nothing if fill.otherwise is None else self._plain(fill.otherwise)
            value = self._checked(None, fill.condition, fill.value, otherwise, found)
        return None if value is None else (value,)

    def _checked(
        self, variable: Variable | None, condition: Node | None, then: Node, otherwise: str | None, earlier: Sequence[ItemValue]
    ) -> ItemValue | None:
        """The value, where it follows from the item's elements and from what was computed of them."""
        if condition is not None and (otherwise is None or self._bound_of(condition) is None):
            return None
        elements = self._loaded(then)
        if elements is None or not self._is_plain(then, (), {v.variable.name for v in earlier if v.variable is not None}, elements):
            return None
        if elements:
            self._bounds.add(None if condition is None else self._bound_of(condition))
        self._elements += [a.node for a in elements]
        return ItemValue(variable, unparenthesized(then), otherwise)

    def _loaded(self, node: Node) -> list[ArrayAccess] | None:
        """The elements of the thread's index that are read; None where others are, or one of them under a condition."""
        found = [*array_accesses(self._tree, node)]
        for access in found:
            kind = self._pointed(access)
            is_sure = node.parent is not None and is_unconditional(self._tree, access.node, node.parent)
            if kind is None or access.kind is not Use.READ or not is_sure:
                return None
            self._inputs[access.base] = kind
        return found

    def _pointed(self, access: ArrayAccess) -> str | None:
        """The type of the element of the thread's index behind a pointer parameter that nothing changes."""
        parameter = self._function.parameter(access.base)
        if parameter is None or parameter.indirection != 1 or parameter.is_volatile or len(access.indices) != 1:
            return None
        is_set = access.base in changed_names(self._tree, self._context.body)
        is_own = self._tree.text(unparenthesized(access.indices[0])) == self._index.name
        return parameter.type if is_own and not is_set else None

    def _bound_of(self, condition: Node) -> str | None:
        """``n`` of ``i < n``, which all threads have alike."""
        parts = binary_parts(unparenthesized(condition))
        if parts is None or parts[0] != "<" or self._tree.text(unparenthesized(parts[1])) != self._index.name:
            return None
        is_alike = thread_axes(self._tree, self._function, parts[2]) == frozenset() and "blockDim" not in spelled(self._context, parts[2])
        return self._tree.text(parts[2]) if is_alike else None

    def _plain(self, node: Node) -> str | None:
        """The text of a value that has nothing to do with items: a literal, or a constant's name."""
        tree, names = self._tree, names_in(self._tree, node) & {*locals_of(self._tree, self._context.body)}
        is_plain = not names and not any(tree.find("call_expression", "subscript_expression", *_EFFECTS, inside=node))
        return tree.text(node) if is_plain else None

    def _is_plain(self, node: Node, reads: Sequence[Node], own: set[str], elements: Sequence[ArrayAccess]) -> bool:
        """Only computes, from the elements, from what the item has (``own``), and from what all threads have alike."""
        tree, known = self._tree, [*reads, *(a.node for a in elements)]
        if any(_outside(tree.find(*_EFFECTS, "subscript_expression", inside=node), known)):
            return False
        if not all(is_pure(callee_name(tree, call)) for call in tree.find("call_expression", inside=node)):
            return False
        for name in _outside(tree.find("identifier", inside=node), known):
            text = tree.text(name)
            is_alike = thread_axes(tree, self._function, name) == frozenset() and not _OWN_NAMES & names_in(tree, name)
            is_alike = is_alike and not any(word in spelled(self._context, name) for word in _OWN_NAMES)
            if text not in own and text != self._index.name and not is_alike:
                return False
        return True

    def _is_sure_to_divide(self, node: Node) -> bool:
        """By numbers alone: beyond the bound a thread computes with what is no item."""
        parts = [binary_parts(each) for each in self._tree.find("binary_expression", inside=node)]
        return all(p is None or p[0] not in ("/", "%") or unparenthesized(p[2]).type == "number_literal" for p in parts)

    def _stores(self, statement: Node, values: Sequence[ItemValue]) -> ItemStores | None:
        """``if (i < n) out[i] = …;``, with or without braces and condition, one store or several."""
        bound: str | None = None
        inner: Sequence[Node] = (statement,)
        if statement.type == "if_statement":
            condition, branch = condition_of(statement), statement.child_by_field_name("consequence")
            bound = None if condition is None else self._bound_of(condition)
            if bound is None or branch is None or statement.child_by_field_name("alternative") is not None:
                return None
            inner = without_comments(branch) if branch.type == "compound_statement" else (branch,)
        found = [self._store(each, values) for each in inner]
        stores = tuple(each for each in found if each is not None)
        if not stores or len(stores) != len(found):
            return None
        self._bounds.add(bound)
        return ItemStores(statement, stores)

    def _store(self, statement: Node, values: Sequence[ItemValue]) -> ItemStore | None:
        change = self._only_assignment(statement)
        if statement.type != "expression_statement" or change is None or change.value is None or change.operator != "=":
            return None
        access = next((a for a in array_accesses(self._tree, statement) if a.node == change.target), None)
        kind = None if access is None else self._pointed(access)
        if access is None or kind is None or access.base in self._outputs:
            return None
        loaded = [a for a in array_accesses(self._tree, change.value) if a.base != self._scan.array.name]
        is_known = len(values) == 1 and all(self._is_same(a, values[0]) for a in loaded)
        last = values[-1].variable
        own = set[str]() if last is None else {last.name}
        reads = [read.node for read in self._scan.reads]
        if (loaded and not is_known) or not self._is_plain(change.value, reads, own, loaded) or not self._is_sure_to_divide(change.value):
            return None
        self._outputs[access.base] = kind
        self._elements += [a.node for a in loaded]
        return ItemStore(access.base, change.value)

    def _is_same(self, access: ArrayAccess, value: ItemValue) -> bool:
        """The element is what the scan is of."""
        is_element = self._pointed(access) is not None and value.then in self._elements
        return is_element and self._tree.text(access.node) == self._tree.text(value.then)


def _outside(nodes: Iterator[Node], known: Sequence[Node]) -> Iterator[Node]:
    return (n for n in nodes if not any(k.start_byte <= n.start_byte and n.end_byte <= k.end_byte for k in known))
