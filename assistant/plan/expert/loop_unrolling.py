"""Unroll short loops of constant length: by the compiler, or by hand with independent accumulators.

Declines loops whose length is known only at run time, that may leave early, that a pragma already unrolls, or that would become very long.

Example::

    for (int k = 0; k < TILE; ++k)
        sum += a[k] * b[k];
    // becomes
    #pragma unroll
    for (int k = 0; k < TILE; ++k)
        sum += a[k] * b[k];
"""

from __future__ import annotations

import re

from assistant.cuda.constants import integer_constant
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.files import line_end
from assistant.cuda.functions import Function, functions
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import conditional_macros
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.template_values import template_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.independent_accumulators import ACCUMULATOR_COUNT, Reduction, reduction_of, split_edits
from assistant.plan.expert.writing.layout import indentation

__all__ = ["LoopUnrolling"]

_MAX_STATEMENT_COPIES = 512
"""Statements after unrolling. Our own limit: more would crowd the instruction cache for little counting saved."""
_ASSUMED_TRIP_COUNT = 32
"""Iterations of a loop whose bound is a template parameter or set with ``-D``. Our own guess: a warp's width."""
_FACTORS = (8, 4, 2)
"""Iterations at a time, where a loop is not unrolled as a whole."""
_ACCUMULATOR_COUNTS = (ACCUMULATOR_COUNT, 2, 8)
_STATEMENTS = ("expression_statement", "declaration", "if_statement", "return_statement", "switch_statement")
_LEAVES = {"break_statement": "`break`", "return_statement": "`return`", "goto_statement": "`goto`"}


class LoopUnrolling:
    """``#pragma unroll``, and another form with independent accumulators for sums; how far, and how many, is left to tuning."""

    technique = "loop-unrolling"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = _loop_at(context)
        if found is None:
            return context.decline(self.technique, Obstacle(DeclineReason.NOTHING_TO_CHANGE, "there is no loop at this line"))
        function, loop = found
        header = counted_header(context.tree, loop)
        if header is None:
            return context.decline(self.technique, _why_not_counted(context.tree, loop))
        reason = _refusal(context.tree, function, loop, header)
        if reason is not None:
            return context.decline(self.technique, reason)
        return _variants(context, function, loop, header)


def _loop_at(context: TransformationContext) -> tuple[Function, Node] | None:
    """The loop that starts on the finding's line, else the innermost one around it."""
    tree = context.tree
    reachable = {context.kernel.name, *context.kernel.device_functions}
    around: list[tuple[Function, Node]] = []
    for function in functions(tree):
        for loop in tree.find(*LOOPS, inside=function.body) if function.name in reachable else ():
            if tree.line(loop) == context.line:
                return function, loop
            if loop.start_point[0] < context.line <= loop.end_point[0] + 1:
                around.append((function, loop))
    return around[-1] if around else None


def _why_not_counted(tree: SyntaxTree, loop: Node) -> Obstacle:
    kind = {"while_statement": "a `while` loop", "do_statement": "a `do` loop"}.get(loop.type)
    condition = loop.child_by_field_name("condition")
    asked = "its condition" if condition is None else f"`{tree.text(condition)}`"
    if kind is not None:
        return Obstacle(DeclineReason.BOUND_UNKNOWN, f"{kind} runs until {asked} fails: how often is known only at run time")
    return Obstacle(DeclineReason.LOOP_FORM, f"the loop's counter, bound or step is not a simple one ({asked}), or changes in the body")


def _refusal(tree: SyntaxTree, function: Function, loop: Node, header: CountedHeader) -> Obstacle | None:
    """Why the loop cannot or should not be unrolled; None if it can."""
    if _has_unroll_pragma(tree, loop):
        return Obstacle(DeclineReason.ALREADY_DONE, "a `#pragma` already sets how far to unroll this loop")
    count = _constant_count(tree, function, header)
    if count is None:
        is_data = any(True for _ in tree.find("subscript_expression", "pointer_expression", inside=header.bound_node))
        why = "depends on data" if is_data else "is known only at run time"
        return Obstacle(
            DeclineReason.BOUND_UNKNOWN,
            f"the number of iterations {why}: it runs while `{header.variable} {header.comparison} {header.bound}`",
        )
    if count < 2:
        return Obstacle(DeclineReason.NO_GAIN, "the loop runs at most once")
    for node in tree.find(*_LEAVES, "gnu_asm_expression", inside=loop):
        is_inner_break = node.type == "break_statement" and _breaks_inner(tree, node, loop)
        if not is_inner_break:
            return Obstacle(
                DeclineReason.LEAVES_EARLY,
                f"{_LEAVES.get(node.type, 'inline assembly')} at line {tree.line(node)} keeps the loop from a fixed length",
            )
    copies = _statement_copies(tree, function, loop)
    if copies is None:
        return Obstacle(
            DeclineReason.BOUND_UNKNOWN,
            "it contains a loop whose length is known only at run time; unrolling this one would only copy that",
        )
    if copies > _MAX_STATEMENT_COPIES:
        return Obstacle(DeclineReason.LIMIT_EXCEEDED, f"unrolled it would be {copies} statements long, which crowds the instruction cache")
    return None


def _has_unroll_pragma(tree: SyntaxTree, loop: Node) -> bool:
    before = tree.source[: tree.span(loop).start].rstrip().rsplit("\n", 1)[-1].strip()
    return re.match(r"#\s*pragma\s+(?:GCC\s+)?(?:no)?unroll\b|_Pragma\(\"(?:no)?unroll", before) is not None


def _constant_count(tree: SyntaxTree, function: Function, header: CountedHeader) -> int | None:
    """Iterations; a guess where only the compiler knows (template parameter, ``-D``); None if known only at run time."""
    count = header.trip_count(tree)
    if count is not None:
        return count
    names = set(re.findall(r"[A-Za-z_]\w*", f"{header.first} {header.bound} {header.step}"))
    parameters = template_values(tree, function) | conditional_macros(tree)
    unknown = {n for n in names - parameters if integer_constant(tree, n) is None}
    return _ASSUMED_TRIP_COUNT if names & parameters and not unknown else None


def _breaks_inner(tree: SyntaxTree, node: Node, loop: Node) -> bool:
    """The ``break`` leaves a ``switch`` or a loop inside ``loop``."""
    return next(a for a in tree.ancestors(node) if a.type in (*LOOPS, "switch_statement")) != loop


def _statement_copies(tree: SyntaxTree, function: Function, loop: Node) -> int | None:
    """Statements once this loop and those inside it are unrolled; None where an inner one has no constant length."""
    header = counted_header(tree, loop)
    count = None if header is None else _constant_count(tree, function, header)
    body = loop.child_by_field_name("body")
    if count is None or body is None:
        return None
    total = 0
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type in LOOPS:
            inner = _statement_copies(tree, function, node)
            if inner is None:
                return None
            total += inner
            continue
        total += node.type in _STATEMENTS
        stack.extend(node.named_children)
    return total * count


def _variants(context: TransformationContext, function: Function, loop: Node, header: CountedHeader) -> tuple[Rewrite, ...]:
    """Unrolled as a whole, and with a loop of known length in parts; then sums with several accumulators."""
    tree = context.tree
    count = header.trip_count(tree)
    partial = [factor for factor in _FACTORS if count is not None and factor < count]
    reduction = reduction_of(tree, loop, header, function)
    is_first_on_line = not tree.source[: tree.span(loop).start].rsplit("\n", 1)[-1].strip()
    is_in_block = loop.parent is not None and loop.parent.type == "compound_statement"
    splits: list[Rewrite] = []
    if reduction is not None and count is not None and is_first_on_line and is_in_block:
        splits = [_split(context, loop, header, reduction, each) for each in _ACCUMULATOR_COUNTS if count % each == 0]
    unrolled = [_unrolled(context, loop, header, factor) for factor in (None, *partial)]
    return (unrolled[0], *splits[:1], *unrolled[1:], *splits[1:])


def _unrolled(context: TransformationContext, loop: Node, header: CountedHeader, factor: int | None) -> Rewrite:
    """``factor``: copies of the body; None: as many as there are iterations."""
    line, count = context.tree.line(loop), header.trip_count(context.tree)
    words = "" if factor is None else f", {factor} iterations at a time"
    return Rewrite(
        technique=LoopUnrolling.technique,
        kernel=context.kernel.key,
        line=line,
        edits=(_pragma_edit(context.tree, loop, "" if factor is None else f" {factor}"),),
        summary=f"Unroll the loop at line {line} (`{header.variable} {header.comparison} {header.bound}`){words}.",
        labels=(),
        predictions=_predictions(context, factor),
        numbers=() if count is None else (("unroll", factor or count),),
    )


def _split(context: TransformationContext, loop: Node, header: CountedHeader, reduction: Reduction, count: int) -> Rewrite:
    return Rewrite(
        technique=LoopUnrolling.technique,
        kernel=context.kernel.key,
        line=context.tree.line(loop),
        edits=tuple(sorted(split_edits(context.tree, loop, header, reduction, count))),
        summary=f"Sum `{reduction.accumulator}` in {count} independent accumulators and unroll the loop.",
        labels=() if reduction.is_exact else (Label.REASSOCIATION,),
        predictions=_predictions(context, None),
        numbers=(("accumulators", count),),
    )


def _pragma_edit(tree: SyntaxTree, loop: Node, factor: str) -> TextEdit:
    text, start = tree.source, tree.span(loop).start
    line_start = text.rfind("\n", 0, start) + 1
    indent, newline = indentation(text, start), line_end(text)
    if text[line_start:start].strip():
        return TextEdit(Span(start, start), f"{newline}{indent}#pragma unroll{factor}{newline}{indent}")
    return TextEdit(Span(line_start, line_start), f"{indent}#pragma unroll{factor}{newline}")


def _predictions(context: TransformationContext, factor: int | None) -> tuple[MetricPrediction, ...]:
    """Half of the loop's integer and control work goes, in parts that of all but one of ``factor`` iterations: addresses become constant
    offsets, the counter disappears.

    The same assumption as the rule that reports the loop (KO114 in ``assistant.profile``).
    """
    ratio = next((e.value for e in context.evidence if e.metric == "loop_overhead_ratio"), None)
    if ratio is None:
        return ()
    gone = ratio / 2 if factor is None else ratio / 2 * (1 - 1 / factor)
    return predicted_values(context, {"loop_overhead_ratio": (ratio - gone) / (1 - gone)})
