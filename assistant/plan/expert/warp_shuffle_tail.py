"""Let the first warp finish a block's reduction with shuffles, where the whole block would wait at a barrier in each step.

Declines where a thread may return before without the rest of its block, where the block is not flat, no power of two or smaller than 64,
and where code behind the loop looks at other elements than the first.

Example::

    for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (tid < s) sh[tid] += sh[tid + s]; __syncthreads(); }
    // the loop ends at `s >= 32`, and behind it (where the text does not give the block's size and recorded launches had fitting ones,
    // the kernel asks for it first and goes the old way otherwise)
    if (tid < 32) { float value = sh[tid]; value += __shfl_down_sync(0xffffffff, value, 16); … if (tid == 0) sh[0] = value; }
"""

from __future__ import annotations

import re

from assistant.cuda.accesses import Use, canonical, kind_of
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import block_dims
from assistant.cuda.macros import hidden_effect
from assistant.cuda.names import fresh_name
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import SharedArray, element_uses, shared_arrays
from assistant.cuda.syntax import Node, without_comments
from assistant.model.launch import Dim3
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, template_environment
from assistant.plan.expert.analysis.leaving import leaving_alone
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.thread_exchange import unseen_launch
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["WarpShuffleTail"]

_WARP_LANES = 32
_SHUFFLED_TYPES = re.compile(r"float|double|(?:unsigned )?(?:int|long|long long)|unsigned")
"""What ``__shfl_down_sync`` takes without a header (CUDA C++ Programming Guide, "Warp Shuffle Functions")."""
_HALVED = r"(?:>>= 1|/= 2|= {0} >> 1|= {0} / 2)"
_FITTING_SIZES = (64, 128, 256, 512, 1024)
"""Blocks that the kernel may be asked for: flat, a power of two, more than one warp."""
_FITS = "blockDim.x >= 64 && (blockDim.x & (blockDim.x - 1)) == 0 && blockDim.y * blockDim.z == 1"
_WHERE_FITTING = " where the block is flat, a power of two and more than one warp, and go the old way otherwise"
_OPERATORS = ("+=", "*=", "&=", "|=", "^=")


class _Reduction(Record):
    """``for (s = first; s > 0; s >>= 1) { if (thread < s) array[thread] op array[thread + s]; __syncthreads(); }``."""

    loop: Node
    counter: str
    first: Node
    condition: Node
    thread: Node
    array: str
    operator: str


class WarpShuffleTail:
    """``s > 0`` → ``s >= 32``, and five shuffles behind the loop."""

    technique = "warp-shuffle-tail"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        loops = (n for n in context.tree.find("for_statement", inside=context.body) if context.tree.line(n) == context.line)
        loop = next(loops, None)
        if loop is None:
            return context.decline(
                self.technique, Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no `for` loop of the kernel's own body starts at this line")
            )
        reduction = _reduction(context, loop)
        if isinstance(reduction, Obstacle):
            return context.decline(self.technique, reduction)
        array = _array(context, reduction)
        if isinstance(array, Obstacle):
            return context.decline(self.technique, array)
        reason = _unreached(context, reduction)
        is_guarded = _block_refusal(context, reduction) if reason is None else reason
        if isinstance(is_guarded, Obstacle):
            return context.decline(self.technique, is_guarded)
        return (
            Rewrite(
                technique=self.technique,
                kernel=context.kernel.key,
                line=context.line,
                edits=_edits(context, reduction, array, is_guarded),
                summary=f"Let the first warp finish the reduction of `{array.name}` with shuffles{_WHERE_FITTING if is_guarded else ''}.",
                labels=(),
                predictions=predicted_values(context, {"one_warp_step_ratio": 0.0}),
            ),
        )


def _reduction(context: TransformationContext, loop: Node) -> _Reduction | Obstacle:
    tree = context.tree
    form = Obstacle(DeclineReason.LOOP_FORM, "the loop is not of the form `for (s = …; s > 0; s >>= 1) { if (t < s) a[t] += a[t + s]; … }`")
    start, condition, update, body = (loop.child_by_field_name(f) for f in ("initializer", "condition", "update", "body"))
    macro = hidden_effect(tree, loop)
    if macro is not None:
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"the macro `{macro}` holds a part of the loop")
    if start is None or condition is None or update is None or body is None:
        return form
    declarators = start.children_by_field_name("declarator")
    name, first = (declarators[0].child_by_field_name(f) for f in ("declarator", "value")) if len(declarators) == 1 else (None, None)
    if name is None or first is None:
        return form
    counter = tree.text(name)
    asked = canonical(tree, condition)
    if re.fullmatch(rf"{counter} >=? (?:16|32|64|warpSize)", asked):
        return Obstacle(DeclineReason.ALREADY_DONE, f"the loop runs only while `{tree.text(condition)}`: its last steps are done elsewhere")
    if asked not in (counter, f"{counter} > 0", f"{counter} >= 1", f"{counter} != 0"):
        return form
    if not re.fullmatch(f"{counter} {_HALVED.format(counter)}", canonical(tree, update)):
        return form
    statements = without_comments(body) if body.type == "compound_statement" else ()
    barriers = [statement for statement in statements if canonical(tree, statement) == "__syncthreads ( ) ;"]
    steps = [statement for statement in statements if statement not in barriers]
    if len(barriers) != 1 or len(steps) != 1:  # in either order: behind the loop, a lane of the first warp reads what itself wrote
        return form
    return _step(context, _Reduction(loop, counter, first, condition, first, "", ""), steps[0]) or form


def _step(context: TransformationContext, head: _Reduction, branch: Node) -> _Reduction | None:
    """The reduction with what a step does; None where that has another form."""
    tree = context.tree
    asked, then = condition_of(branch), branch.child_by_field_name("consequence")
    statement = None if then is None else lone_statement(then)
    if branch.type != "if_statement" or branch.child_by_field_name("alternative") is not None or asked is None or statement is None:
        return None
    thread = asked.child_by_field_name("left")
    change = next(iter(without_comments(statement)), None)
    if thread is None or change is None or canonical(tree, asked) != f"{canonical(tree, thread)} < {head.counter}":
        return None
    spelled = canonical(tree, thread)
    left, operator, right = (change.child_by_field_name(f) for f in ("left", "operator", "right"))
    if change.type != "assignment_expression" or left is None or operator is None or right is None:
        return None
    base = left.child_by_field_name("argument") if left.type == "subscript_expression" else None
    array = "" if base is None else tree.text(base)
    element, others = f"{array}[{spelled}]", (f"{array}[{spelled} + {head.counter}]", f"{array}[{head.counter} + {spelled}]")
    if not array or canonical(tree, left) != element:
        return None
    sign = tree.text(operator)
    if sign in _OPERATORS and canonical(tree, right) in others:
        return _Reduction(head.loop, head.counter, head.first, head.condition, thread, array, sign)
    if sign == "=" and canonical(tree, right) in tuple(f"{element} + {other}" for other in others):
        return _Reduction(head.loop, head.counter, head.first, head.condition, thread, array, "+=")
    return None


def _array(context: TransformationContext, reduction: _Reduction) -> SharedArray | Obstacle:
    """The array, of which only element 0 is looked at after the loop."""
    tree = context.tree
    arrays = shared_arrays(tree, context.body)
    array = next((a for a in arrays if a.name == reduction.array), None)
    if array is None or len(array.sizes) != 1:
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"`{reduction.array}` is not a flat shared array of this kernel")
    if array.is_dynamic and sum(a.is_dynamic for a in arrays) > 1:
        return Obstacle(
            DeclineReason.MAY_OVERLAP, f"`{array.name}` is not the only `extern __shared__` array, and they all begin at one place"
        )
    declaration = next((n for n in tree.ancestors(array.declarator) if n.type == "declaration"), array.declarator)
    if "volatile" in tree.text(declaration):
        return Obstacle(DeclineReason.VOLATILE, f"`{array.name}` is volatile: each access must reach memory")
    if _SHUFFLED_TYPES.fullmatch(" ".join(array.element_type.split())) is None:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"values of type `{array.element_type}` cannot surely be shuffled")
    uses = element_uses(tree, context.body, array)
    if isinstance(uses, str):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, uses)
    scope = scope_of(tree, context.kernel).fixed()
    for use in uses:
        is_total = evaluate(use.indices[0], scope, {}) == 0 and kind_of(tree, use.node) is Use.READ
        if use.node.start_byte > reduction.loop.end_byte and not is_total:
            return Obstacle(
                DeclineReason.USED_ELSEWHERE,
                f"line {use.line} uses `{tree.text(use.node)}`, and after shuffles only the total is in memory",
            )
    return array


def _unreached(context: TransformationContext, reduction: _Reduction) -> Obstacle | None:
    """Why some lane of the first warp might not get to the shuffles, or get there more than once."""
    tree, loop = context.tree, reduction.loop
    if loop.parent != context.body:
        return Obstacle(DeclineReason.CONDITIONAL, "the reduction is inside another statement, so that it may run several times or never")
    leaving = leaving_alone(context, context.body, loop.end_byte) or next(tree.find("goto_statement", inside=context.body), None)
    if leaving is None:
        return None
    words = f"a thread may leave at line {tree.line(leaving)}, and the shuffles need all lanes of a warp"
    return Obstacle(DeclineReason.LEAVES_EARLY, words)


def _block_refusal(context: TransformationContext, reduction: _Reduction) -> Obstacle | bool:
    """Why the block is not halved down to the first thread; else whether the kernel has to ask for its size."""
    reason = unseen_launch(context)
    if reason is not None:
        return reason
    blocks = tuple(block_dims(launch) for launch in launches_of(context))
    if not blocks or None in blocks:
        return _asked_refusal(context, reduction) or True
    for block in dict.fromkeys(b for b in blocks if b is not None):
        reason = _shape_refusal(context, reduction, block)
        if reason is not None:
            return reason
    return False


def _asked_refusal(context: TransformationContext, reduction: _Reduction) -> Obstacle | None:
    """Why a block whose size is only known at run time is not worth asking for it, or why asking would not be enough."""
    seen = () if context.recorded is None else tuple(dict.fromkeys(shape.config.block for shape in context.recorded.shapes))
    if not seen:
        return Obstacle(DeclineReason.SIZE_UNKNOWN, "the size of the block is not a constant of this file; it must be a power of two")
    sizes = (*seen, *(Dim3(size) for size in _FITTING_SIZES))
    return next((reason for block in sizes if (reason := _shape_refusal(context, reduction, block)) is not None), None)


def _shape_refusal(context: TransformationContext, reduction: _Reduction, block: Dim3) -> Obstacle | None:
    size = f"{block.x} x {block.y} x {block.z}"
    if block.y * block.z != 1 or block.x & (block.x - 1) or block.x < 2 * _WARP_LANES:
        return Obstacle(DeclineReason.BLOCK_SHAPE, f"the block is {size} threads; it must be flat, a power of two, and more than one warp")
    scope = scope_of(context.tree, context.kernel).fixed()
    known = {**template_environment(context), "blockDim.x": block.x, "blockDim.y": 1, "blockDim.z": 1, "threadIdx.y": 0, "threadIdx.z": 0}
    if evaluate(reduction.first, scope, known) != block.x // 2:
        return Obstacle(DeclineReason.LOOP_FORM, f"the loop does not surely start at half of the block of {size} threads")
    if any(evaluate(reduction.thread, scope, {**known, "threadIdx.x": x}) != x for x in range(block.x)):
        return Obstacle(
            DeclineReason.ADDRESS_UNKNOWN, f"`{context.tree.text(reduction.thread)}` is not surely the thread's index in its block"
        )
    return None


def _edits(context: TransformationContext, reduction: _Reduction, array: SharedArray, is_guarded: bool) -> tuple[TextEdit, ...]:
    tree = context.tree
    style, newline = style_of(context), line_end(context.text)
    indent = indentation(context.text, tree.span(reduction.loop).start)
    thread, value = tree.text(reduction.thread), fresh_name(tree, "value")
    name = fresh_name(tree, style_of(context).name("block", "fits")) if is_guarded else ""
    lines = (
        f"if ({name} && {thread} < {_WARP_LANES}) {{" if is_guarded else f"if ({thread} < {_WARP_LANES}) {{",
        f"{style.indent}{array.element_type} {value} = {array.name}[{thread}];",
        *(f"{style.indent}{value} {reduction.operator} __shfl_down_sync(0xffffffff, {value}, {s});" for s in (16, 8, 4, 2, 1)),
        f"{style.indent}if ({thread} == 0) {array.name}[0] = {value};",
        "}",
        "__syncthreads();",
    )
    least = f"({name} ? {_WARP_LANES} : 1)" if is_guarded else str(_WARP_LANES)
    ended = TextEdit(tree.span(reduction.condition), f"{reduction.counter} >= {least}")
    asked = before_statement(tree, reduction.loop, f"const bool {name} = {_FITS};") if is_guarded else ()
    return tuple(sorted((ended, *asked, *after_statement(tree, reduction.loop, f"{newline}{indent}".join(lines)))))
