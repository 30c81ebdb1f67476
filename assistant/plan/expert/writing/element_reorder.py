"""Deal the elements of a flat array out to threads in the order in which memory holds them.

For kernels in which each thread works through a run of its own, ``a[i * C + k]`` for k = 0 … C-1, element by element: the same
elements are covered by ``a[k * N + i]``, where N is the number of threads that work (the guard's bound), and then neighbouring
threads touch neighbouring elements. The launch stays as it is.

Example::

    out[i * C + k]   ->   out[k * N + i]   // i: thread, k: counter, C: elements of a thread, N: threads at work
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.casts import without_integer_casts
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.integers import Scope
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, node_text, unparenthesized
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import known_blocks
from assistant.plan.expert.analysis.memory_accesses import global_accesses, unknown_sizes, warp_cost
from assistant.plan.expert.analysis.predictions import predicted_sectors
from assistant.plan.expert.analysis.thread_exchange import warp_dependence
from assistant.plan.expert.analysis.warp_pattern import lane_environments
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["reordered"]

_GLOBAL_INDEX = frozenset({"blockIdx.x*blockDim.x+threadIdx.x", "blockDim.x*blockIdx.x+threadIdx.x",
                           "threadIdx.x+blockIdx.x*blockDim.x", "threadIdx.x+blockDim.x*blockIdx.x"})  # fmt: skip
_SIMPLE = re.compile(r"[\w.]+")
_NARROW = re.compile(r"\b(?:short|char|u?int8_t|u?int16_t)\b")
"""Casts to types that may not hold the other factor."""


class _Run(Record):
    """``for (k = 0; k < C; k++)`` over elements ``i * C + k``."""

    loop: Node
    counter: str
    length: str
    """``C`` as written."""
    thread: str
    """``i``: the name of the thread's index."""
    indices: tuple[tuple[Node, Node], ...]
    """(``i``, ``C``, in the order written, with their casts) of each product in the loop."""
    sums: tuple[Node, ...]
    """Each whole ``i * C + k``."""


def reordered(context: TransformationContext, technique: str) -> Rewrite | Obstacle:
    """The rewrite, or the sentence that says why the order of elements must stay."""
    scope = scope_of(context.tree, context.kernel)
    loop = _loop_around(context)
    if loop is None:
        return Obstacle(
            DeclineReason.NOTHING_TO_CHANGE,
            "this line is not inside a loop over elements, and the kernel has one dimension: there is nothing to exchange",
        )
    run = _run(context, loop, scope)
    if isinstance(run, Obstacle):
        return run
    count = _worker_count(context, run)
    if count is None:
        return Obstacle(
            DeclineReason.NO_BOUNDS_CHECK,
            f"it is not known how many threads have work: there is no guard on {run.thread} that the new stride could follow",
        )
    reason = warp_dependence(context) or _partial_work(context, run, count, scope) or _order_matters(context, run, scope)
    if reason is not None:
        return reason
    return _rewrite(context, technique, run, count, scope)


def _loop_around(context: TransformationContext) -> Node | None:
    loops = [n for n in context.tree.find("for_statement", inside=context.body) if _covers_line(context, n)]
    return loops[-1] if loops else None


def _covers_line(context: TransformationContext, node: Node) -> bool:
    return node.start_point[0] + 1 <= context.line <= node.end_point[0] + 1


def _run(context: TransformationContext, loop: Node, scope: Scope) -> _Run | Obstacle:
    head = _head(context.tree, loop)
    if head is None:
        return Obstacle(DeclineReason.LOOP_FORM, "the loop around this line does not count from zero by ones")
    counter, length = head
    thread = next((n for n in scope.writes if _is_thread_index(n, scope)), None)
    if thread is None:
        return Obstacle(DeclineReason.LOOP_FORM, "no variable of the kernel is the thread's index in the grid")
    sums: list[Node] = []
    products: list[tuple[Node, Node]] = []
    body = loop.child_by_field_name("body")
    for node in context.tree.find("binary_expression", inside=body):
        found = _run_index(node, thread, length, counter)
        if found is not None:
            sums.append(node)
            products.append(found)
    if not sums:
        return Obstacle(
            DeclineReason.LOOP_FORM, f"the elements of the loop are not {thread} * {length} + {counter}, a run of each thread's own"
        )
    return _Run(loop, counter, length, thread, tuple(products), tuple(sums))


def _head(tree: SyntaxTree, loop: Node) -> tuple[str, str] | None:
    """(counter, bound) of ``for (int k = 0; k < C; ++k)``."""
    header, start = counted_header(tree, loop), loop.child_by_field_name("initializer")
    if header is None or start is None or start.type != "declaration":
        return None
    is_plain = (header.first, header.comparison, header.step) == ("0", "<", "1")
    return (header.variable, header.bound) if is_plain and _SIMPLE.fullmatch(header.bound) else None


def _is_thread_index(name: str, scope: Scope) -> bool:
    definition = scope.definition(name)
    return definition is not None and re.sub(r"\s+", "", node_text(definition)) in _GLOBAL_INDEX


def _run_index(node: Node, thread: str, length: str, counter: str) -> tuple[Node, Node] | None:
    """The two factors of ``i * C`` in a node that is ``i * C + k``, with casts to wider integers where there are some."""
    if node_text(node.children[1]) != "+":
        return None
    for product, rest in ((node.children[0], node.children[2]), (node.children[2], node.children[0])):
        product = unparenthesized(product)
        if node_text(rest) != counter or product.type != "binary_expression" or node_text(product.children[1]) != "*":
            continue
        first, second = product.children[0], product.children[2]
        if not any(_NARROW.search(node_text(factor)) for factor in (first, second)):
            plain = (node_text(without_integer_casts(factor)) for factor in (first, second))
            if set(plain) == {thread, length}:
                return first, second
    return None


def _cast_like(factor: Node, name: str) -> str:
    """Another name in the place of the factor's, with the casts around that."""
    text, inner = node_text(factor), without_integer_casts(factor)
    start = len(text.encode()[: inner.start_byte - factor.start_byte].decode())
    return f"{text[:start]}{name}{text[start + len(node_text(inner)) :]}"


def _worker_count(context: TransformationContext, run: _Run) -> str | None:
    """``N`` of ``if (i < N)`` around the loop, or of ``if (i >= N) return;`` before it."""
    for node in context.tree.find("if_statement", inside=context.body):
        condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if condition is None or then is None or node.child_by_field_name("alternative") is not None:
            continue
        text = re.sub(r"\s+", "", node_text(condition))
        is_around = then.start_byte <= run.loop.start_byte and run.loop.end_byte <= then.end_byte
        is_first = node.parent == context.body and then.end_byte <= run.loop.start_byte
        is_return = is_first and re.sub(r"[\s{}]+", "", node_text(then)) == "return;"
        pattern = rf"\({run.thread}<([\w.]+)\)" if is_around else rf"\({run.thread}>=([\w.]+)\)" if is_return else None
        found = None if pattern is None else re.fullmatch(pattern, text)
        if found is not None:
            return found[1]
    return None


def _partial_work(context: TransformationContext, run: _Run, count: str, scope: Scope) -> Obstacle | None:
    """Why some threads below the bound may skip their run, or the bounds may change; None when all of them work."""
    for name in (count, run.length):
        is_parameter = any(p.name == name for p in context.kernel.parameters)
        if name in scope.writes and (is_parameter or scope.definition(name) is None):
            return Obstacle(DeclineReason.GUARD_FORM, f"{name} changes its value in the kernel")
    around = [a for a in context.tree.ancestors(run.loop) if context.body.start_byte < a.start_byte]
    conditions = [a for a in around if a.type not in {"compound_statement", "else_clause"}]
    returns = tuple(context.tree.find("return_statement", inside=context.body))
    if len(conditions) + len(returns) > 1 or any(a.type == "else_clause" for a in around):
        return Obstacle(DeclineReason.GUARD_FORM, "some threads may skip their run on another condition than the guard")
    return None


def _order_matters(context: TransformationContext, run: _Run, scope: Scope) -> Obstacle | None:
    """Why another element order would give another result; None when elements are independent."""
    inside = tuple(_identifiers(run))
    allowed = {id_ for s in run.sums for id_ in _identifier_starts(context, s)}
    body = run.loop.child_by_field_name("body")
    for node in inside:
        is_index = node.start_byte in allowed
        if node_text(node) in {run.thread, run.counter} and not is_index:
            return Obstacle(
                DeclineReason.ORDER_MATTERS, f"line {context.tree.line(node)} uses {node_text(node)} for more than choosing the element"
            )
        if node_text(node) in {"threadIdx", "blockIdx", "__syncthreads"}:
            return Obstacle(DeclineReason.ORDER_MATTERS, f"line {context.tree.line(node)} uses {node_text(node)} inside the loop")
    if re.search(r"\b(break|return|continue|goto|atomic\w+)\b", "" if body is None else node_text(body)):
        return Obstacle(
            DeclineReason.ORDER_MATTERS, "the loop may stop early or update shared results, so the order of its elements matters"
        )
    for name, writes in scope.writes.items():
        written = [w for w in writes if body is not None and body.start_byte <= w.offset_bytes <= body.end_byte]
        outside = len(writes) > len(written) or not _is_declared_inside(context, run, name)
        if written and outside:
            return Obstacle(DeclineReason.ORDER_MATTERS, f"{name} is carried from one element to the next")
    for node in _other_writes(context, run, scope):
        return Obstacle(
            DeclineReason.ORDER_MATTERS, f"line {context.tree.line(node)} writes through something other than a pointer parameter's element"
        )
    stray = [a for a in _accesses_inside(context, run, scope) if not _is_run_access(run, a)]
    stores = [a for a in _accesses_inside(context, run, scope) if a[1]]
    if any(is_store for _, is_store, _ in stray) or not stores:
        return Obstacle(DeclineReason.ORDER_MATTERS, "a store in the loop goes to other elements than the thread's own run")
    targets = {pointer for pointer, _, _ in stores}
    other = next((p for p, _, _ in stray if p in targets), None)
    return (
        None
        if other is None
        else Obstacle(DeclineReason.ORDER_MATTERS, f"{other} is also read at other elements than the one that is written")
    )


def _other_writes(context: TransformationContext, run: _Run, scope: Scope) -> Iterator[Node]:
    """Writes and pointer uses in the loop that are not plain element accesses."""
    elements = {a.node.id for a in global_accesses(context, scope)}
    body = run.loop.child_by_field_name("body")
    for change in () if body is None else assignments(context.tree, body):
        target = change.target
        while target.type in {"field_expression", "parenthesized_expression"}:
            target = target.child_by_field_name("argument") or target.named_children[0]
        if target.type != "identifier" and target.id not in elements:
            yield change.node
    pointers = {p.name for p in context.kernel.parameters if p.is_pointer}
    for node in _identifiers(run):
        if node_text(node) in pointers and not any(a.id in elements for a in context.tree.ancestors(node)):
            yield node


def _identifiers(run: _Run) -> Iterator[Node]:
    stack = [n for n in (run.loop.child_by_field_name("body"),) if n is not None]
    while stack:
        node = stack.pop()
        if node.type == "identifier":
            yield node
        stack.extend(reversed(node.children))


def _identifier_starts(context: TransformationContext, node: Node) -> Iterator[int]:
    return (n.start_byte for n in context.tree.find("identifier", inside=node))


def _is_declared_inside(context: TransformationContext, run: _Run, name: str) -> bool:
    body = run.loop.child_by_field_name("body")
    declarations = context.tree.find("declaration", inside=body)
    return any(
        node_text(d.child_by_field_name("declarator") or d) == name
        for declaration in declarations
        for d in declaration.children_by_field_name("declarator")
    )


def _accesses_inside(context: TransformationContext, run: _Run, scope: Scope) -> tuple[tuple[str, bool, tuple[Node, ...]], ...]:
    return tuple(
        (a.pointer, a.is_store, a.offsets)
        for a in global_accesses(context, scope)
        if run.loop.start_byte <= a.node.start_byte and a.node.end_byte <= run.loop.end_byte
    )


def _is_run_access(run: _Run, access: tuple[str, bool, tuple[Node, ...]]) -> bool:
    offsets = access[2]
    if len(offsets) != 1:
        return False
    offset = unparenthesized(offsets[0])
    return offset in run.sums or _defined_sum(run, offset)


def _defined_sum(run: _Run, offset: Node) -> bool:
    """True for a name that the loop's body declares as the run's index: ``int e = i * C + k;``."""
    if offset.type != "identifier":
        return False
    for found in run.sums:
        parent = found.parent
        if parent is not None and parent.type == "init_declarator":
            name = parent.child_by_field_name("declarator")
            if name is not None and node_text(name) == node_text(offset):
                return True
    return False


def _rewrite(context: TransformationContext, technique: str, run: _Run, count: str, scope: Scope) -> Rewrite | Obstacle:
    block = next(iter(known_blocks(context)), Dim3(256))
    lanes = [{**unknown_sizes(context), **lane} for lane in lane_environments(block)]
    before = warp_cost(context, lanes)
    if before.line_sectors == 0:
        return Obstacle(
            DeclineReason.ADDRESS_UNKNOWN, "which elements this line touches depends on values that are only known while it runs"
        )
    # 32 lanes of size_bytes side by side fill size_bytes sectors of 32 bytes
    after = sum(a.size_bytes for a in global_accesses(context, scope) if a.line == context.line)
    if after >= before.line_sectors:
        return Obstacle(DeclineReason.NO_GAIN, "giving the threads other elements would touch as many sectors")
    edits: list[TextEdit] = []
    style = style_of(context)
    for whole, (first, second) in zip(run.sums, run.indices, strict=True):
        is_thread_first = node_text(without_integer_casts(first)) == run.thread
        of_thread, of_length = (first, second) if is_thread_first else (second, first)
        product = f"{_cast_like(of_thread, run.counter)}{style.space}*{style.space}{_cast_like(of_length, count)}"
        left_is_product = unparenthesized(whole.children[0]).start_byte <= first.start_byte < whole.children[0].end_byte
        text = style.sum(product, run.thread) if left_is_product else style.sum(run.thread, product)
        edits.append(TextEdit(context.tree.span(whole), text))
    return Rewrite(
        technique=technique,
        kernel=context.kernel.key,
        line=context.line,
        edits=tuple(sorted(edits)),
        summary="Deal elements out so that neighbouring threads take neighbouring ones.",
        labels=(),
        predictions=predicted_sectors(context, after / before.line_sectors),
        assumptions=(f"every launch has a thread for each of the {count} runs, as the guard implies",),
    )
