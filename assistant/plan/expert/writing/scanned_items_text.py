"""A block's scan by threads that bring several neighbouring items each: loaded as vectors, scanned in registers, stored as vectors.

Example::

    scanned_item_edits(context, scan, items, ScanBlock(Dim3(512), items=4), types)
    # int sum = items[0] + items[1] + items[2] + items[3]; … for (…) { running += items[k]; out4[k] = running; }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.files import line_end
from assistant.cuda.names import free_name, mentions, words_in
from assistant.cuda.syntax import Node, binary_parts, unparenthesized
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.first_items import first_item
from assistant.plan.expert.analysis.lone_threads import narrower_condition
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.scanned_items import ItemStores, ItemValue, ScannedItems
from assistant.plan.expert.analysis.shared_scan import Part, SharedScan
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.block_scan_text import (
    ScanBlock,
    ScanNames,
    joined_with,
    nothing_of,
    row_of_warps,
    scan_names,
    scan_word,
    scanned_lines,
)
from assistant.plan.expert.writing.layout import indentation, without_line
from assistant.plan.expert.writing.shared_rows import extreme
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.vector_types import VectorTypes

__all__ = ["scanned_item_edits"]

_WHOLE = frozenset({"int", "unsigned", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"})
_SIGNS = {Combination.SUM: "+", Combination.PRODUCT: "*"}


def scanned_item_edits(
    context: TransformationContext, scan: SharedScan, items: ScannedItems, block: ScanBlock, types: VectorTypes
) -> tuple[TextEdit, ...]:
    """Edits of the kernel; its blocks have to become as much smaller as a thread has items."""
    return tuple(sorted(_Writer(context, scan, items, block, types).edits()))


class _Writer:
    def __init__(self, context: TransformationContext, scan: SharedScan, items: ScannedItems, block: ScanBlock, types: VectorTypes) -> None:
        self._context, self._tree, self._scan, self._items = context, context.tree, scan, items
        self._block, self._types, self._count = block, types, block.items
        self._style = style_of(context)
        word, last = scan_word(scan), items.values[-1].variable
        self._values = self._free("items", self._style.name("own", "items")) if last is None else last.name
        self._kind = scan.array.element_type if last is None else last.type
        running, total = self._free("running", self._style.name("so", "far")), scan_names(context, scan, block).total
        self._names = ScanNames(self._free(word, self._style.name("own", word)), True, running, total)
        self._first, self._k = self._free("first", self._style.name("first", "item")), self._free("k", "item")
        self._whole = self._free("whole", self._style.name("is", "whole"))
        self._before = self._free("before", self._style.name(word, "before"))
        self._arrays = {name: self._free(f"{name.rstrip('_')}{self._count}") for name in (*items.inputs, *items.outputs)}

    def edits(self) -> Iterator[TextEdit]:
        scan, tree, text = self._scan, self._tree, self._context.text
        yield from self._declarations()
        for statement in self._items.gone:
            yield without_line(text, tree.span(statement))
        yield self._replaced_by(Span(tree.span(scan.fill.statement).start, tree.span(scan.last).end), self._scanned())
        if not scan.array.is_dynamic:
            yield TextEdit(tree.span(scan.array.declarator), f"{scan.array.name}[{row_of_warps(self._context, scan.array, self._block)}]")
        for group in self._items.stores:
            yield self._replaced_by(tree.span(group.statement), self._stored(group))
        for lone in self._items.lone:
            yield TextEdit(tree.span(lone.condition), narrower_condition(self._context, lone, self._block.span, self._count))
            for read in (r for r in scan.reads if tree.span(lone.statement).contains(tree.span(r.node))):
                yield TextEdit(tree.span(read.node), self._names.total if read.part is Part.ALL else self._names.before)

    def _declarations(self) -> Iterator[TextEdit]:
        """The index becomes that of a thread's first item; what an item has stands in arrays, and counters of steps are gone."""
        index = self._items.index
        own = [value.variable for value in self._items.values if value.variable is not None]
        gone = {variable.declarator.id for variable in (*own, *self._scan.counters)}
        nodes = {variable.node.id: variable.node for variable in (index, *own, *self._scan.counters)}
        for node in nodes.values():
            variables = [*declared_variables(self._tree, node)]
            left = [self._declarator(v) for v in variables if v.declarator.id not in gone]
            if not left:
                yield without_line(self._context.text, self._tree.span(node))
                continue
            spans = [self._tree.span(v.declarator) for v in variables]
            yield TextEdit(Span(spans[0].start, spans[-1].end), ", ".join(left))

    def _declarator(self, variable: Variable) -> str:
        if variable.declarator != self._items.index.declarator or variable.value is None:
            return self._tree.text(variable.declarator)
        return f"{self._first} = {first_item(self._context, variable.value, self._count)}"

    def _scanned(self) -> list[str]:
        """From the loads up to what comes of each item."""
        scan, names = self._scan, self._names
        wanted = self._wanted()
        nothing = nothing_of(self._context, scan) if scan.combination in _SIGNS else f"{self._values}[0]"
        return [
            *self._loads(),
            *self._brought(),
            *scanned_lines(self._context, scan, names, self._block, (wanted, nothing)),
            *self._results(),
        ]

    def _wanted(self) -> frozenset[Part]:
        parts = {read.part for read in self._scan.reads}
        return frozenset({Part.BEFORE_IT, *(parts & {Part.ALL})})

    def _loads(self) -> list[str]:
        items, count = self._items, self._count
        aligned = self._types.alignment((name, name) for name in dict.fromkeys((*items.inputs, *items.outputs)))
        bound = "" if items.bound is None else f" && {self._first} + {count} <= {items.bound}"
        own = ""
        if self._is_direct():
            (pointer,) = items.inputs
            own = f"alignas({self._types.bytes(pointer)}) "
            vectors = [self._vector_load(pointer, self._values)]
        else:
            vectors = [line for pointer in items.inputs for line in self._vector(pointer)]
            vectors += self._loop([line for value in items.values for line in self._value(value, guarded=False)], own=True)
        one_by_one = self._loop([line for value in items.values for line in self._value(value, guarded=True)], own=True)
        return [
            f"const bool {self._whole} = {aligned}{bound};",
            f"{own}{self._kind} {self._values}[{count}];",
            *self._style.opened(f"if ({self._whole})"),
            *self._inner(vectors),
            *self._style.otherwise,
            *self._inner(one_by_one),
            "}",
        ]

    def _is_direct(self) -> bool:
        """Vectors are loaded where the items are wanted."""
        (kind, *others) = [*self._items.inputs.values()]
        return self._items.is_loaded_alone and not others and kind == self._kind

    def _vector(self, pointer: str) -> list[str]:
        array = self._arrays[pointer]
        declared = f"alignas({self._types.bytes(pointer)}) {self._items.inputs[pointer]} {array}[{self._count}];"
        return [declared, self._vector_load(pointer, array)]

    def _vector_load(self, pointer: str, array: str) -> str:
        vector = self._types.vector(pointer)
        return f"*reinterpret_cast<{vector} *>({array}) = *reinterpret_cast<const {vector} *>({pointer} + {self._first});"

    def _value(self, value: ItemValue, *, guarded: bool) -> list[str]:
        """One item's value; from a vector's element, or ``guarded`` by the bound as the author has it."""
        text = self._of_elements(value.then, {} if guarded else {name: self._arrays[name] for name in self._items.inputs})
        if guarded and value.otherwise is not None:
            text = f"{self._items.index.name} < {self._items.bound} ? {text} : {value.otherwise}"
        is_last = value == self._items.values[-1]
        target = f"{self._values}[{self._k}]" if is_last else f"const {value.variable.type} {value.variable.name}" if value.variable else ""
        return [f"{target} = {text};"]

    def _brought(self) -> list[str]:
        """What a thread's items come to."""
        scan, own, values = self._scan, self._names.own, self._values
        if self._kind == scan.array.element_type:
            return [f"{self._kind} {own} = {self._together([f'{values}[{k}]' for k in range(self._count)])};"]
        lines = self._loop([joined_with(scan, own, f"{values}[{self._k}]")], start=1)
        return [f"{scan.array.element_type} {own} = {values}[0];", *lines]

    def _together(self, values: Sequence[str]) -> str:
        """One expression of all values: ``a + b + c + d``, or ``max(max(a, b), max(c, d))``."""
        sign, half = _SIGNS.get(self._scan.combination), len(values) // 2
        if sign is not None or not half:
            return f" {sign} ".join(values)
        return extreme(self._kind, self._scan.combination, self._together(values[:half]), self._together(values[half:]))

    def _results(self) -> list[str]:
        """What comes of each item, in an array for each pointer that is stored to."""
        scan, items, running = self._scan, self._items, self._names.before
        nodes = [store.value for group in items.stores for store in group.stores]
        parts = {r.part for r in scan.reads if any(self._tree.span(n).contains(self._tree.span(r.node)) for n in nodes)}
        step = joined_with(scan, running, f"{self._values}[{self._k}]")
        if all(self._is_without_own(node) for node in nodes):
            made = [f"{self._arrays[s.pointer]}[{self._k}] = {running};" for g in items.stores for s in g.stores]
            return [*self._outputs(), *self._loop([*made, step])]
        is_both = {Part.UP_TO_IT, Part.BEFORE_IT} <= parts
        spelled = {Part.UP_TO_IT: running, Part.BEFORE_IT: self._before if is_both else running, Part.ALL: self._names.total}
        made = [f"{self._arrays[s.pointer]}[{self._k}] = {self._of_reads(s.value, spelled)};" for g in items.stores for s in g.stores]
        kept = [f"const {scan.array.element_type} {self._before} = {running};"] if is_both else []
        body = [*made, step] if Part.BEFORE_IT in parts and not is_both else [*kept, step, *made]
        return [*self._outputs(), *self._loop(body, own=True)]

    def _outputs(self) -> list[str]:
        kinds = self._items.outputs.items()
        return [f"alignas({self._types.bytes(name)}) {kind} {self._arrays[name]}[{self._count}];" for name, kind in kinds]

    def _is_without_own(self, node: Node) -> bool:
        """``sum - value`` of whole numbers: what the items before have together."""
        parts, kinds = binary_parts(unparenthesized(node)), {plain_type(self._tree, k) for k in (self._kind, self._scan.array.element_type)}
        if self._scan.combination is not Combination.SUM or not kinds <= _WHOLE or len(kinds) > 1 or parts is None or parts[0] != "-":
            return False
        last, other = self._items.values[-1].variable, unparenthesized(parts[2])
        is_own = other in self._items.elements or (last is not None and self._tree.text(other) == last.name)
        return is_own and any(r.part is Part.UP_TO_IT and r.node == unparenthesized(parts[1]) for r in self._scan.reads)

    def _stored(self, group: ItemStores) -> list[str]:
        first, k = self._first, self._k
        vectors: list[str] = []
        for store in group.stores:
            vector, array = self._types.vector(store.pointer), self._arrays[store.pointer]
            vectors.append(f"*reinterpret_cast<{vector} *>({store.pointer} + {first}) = *reinterpret_cast<{vector} *>({array});")
        single = [f"{store.pointer}[{first} + {k}] = {self._arrays[store.pointer]}[{k}];" for store in group.stores]
        bound = self._items.bound
        inner = single if bound is None else [*self._style.headed(f"if ({first} + {k} < {bound})", single)]
        return [
            *self._style.opened(f"if ({self._whole})"),
            *self._inner(vectors),
            *self._style.otherwise,
            *self._inner(self._loop(inner)),
            "}",
        ]

    def _loop(self, body: Sequence[str], *, start: int = 0, own: bool = False) -> list[str]:
        """Over the items; ``own``: the author's statements, which may name the index."""
        index, k = self._items.index, self._k
        is_named = own and any(index.name in words_in(line) for line in body)
        lines = [f"const {index.type} {index.name} = {self._first} + {k};", *body] if is_named else [*body]
        head = f"for (int {k} = {start}; {k} < {self._count}; ++{k})"
        is_one = len(lines) == 1 or (lines[0].startswith("if (") and not lines[0].endswith("{") and len(lines) == 2)
        return ["#pragma unroll", *([head, *self._inner(lines)] if is_one else [*self._style.opened(head), *self._inner(lines), "}"])]

    def _of_elements(self, node: Node, arrays: dict[str, str]) -> str:
        """The text with elements of vectors in the place of those in memory."""
        found = [e for e in self._items.elements if self._tree.span(node).contains(self._tree.span(e))]
        names = {e: self._tree.text(e).partition("[")[0].strip() for e in found}
        return self._written(node, [(self._tree.span(e), f"{arrays[names[e]]}[{self._k}]") for e in found if names[e] in arrays])

    def _of_reads(self, node: Node, spelled: dict[Part, str]) -> str:
        """The text with what the scan gives, and with the item's own value."""
        span, item = self._tree.span(node), f"{self._values}[{self._k}]"
        edits = [(self._tree.span(r.node), spelled[r.part]) for r in self._scan.reads if span.contains(self._tree.span(r.node))]
        edits += [(self._tree.span(e), item) for e in self._items.elements if span.contains(self._tree.span(e))]
        known = [each for each, _ in edits]
        last = self._items.values[-1].variable
        own = [] if last is None else [self._tree.span(n) for n in mentions(self._tree, node, last.name)]
        edits += [(each, item) for each in own if not any(k.contains(each) for k in known)]
        return self._written(node, edits)

    def _written(self, node: Node, edits: Sequence[tuple[Span, str]]) -> str:
        span, text = self._tree.span(node), self._tree.text(node)
        for each, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
            text = text[: each.start - span.start] + new + text[each.end - span.start :]
        return text

    def _replaced_by(self, span: Span, lines: Sequence[str]) -> TextEdit:
        newline = f"{line_end(self._context.text)}{indentation(self._context.text, span.start)}"
        return TextEdit(span, newline.join(lines))

    def _inner(self, lines: Sequence[str]) -> list[str]:
        return [self._style.indent + line for line in lines]

    def _free(self, *wanted: str) -> str:
        return free_name(self._tree, self._context.body, *wanted)
