"""Kernels of one block whose threads stride over all elements, put sums together, and of which one thread stores the results.

Example::

    match one_block_kernel(context):
        case OneBlockKernel(outputs=outputs): ...   # `*total = sum;`, which blocks could add to
        case Obstacle(): ...                        # why other blocks cannot take some of the elements
"""

from __future__ import annotations

from assistant.cuda.accesses import Use, canonical, uses_of
from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of
from assistant.cuda.constants import constants_of
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.kernel_launches import known_blocks, launches_of
from assistant.plan.expert.analysis.linear_sums import FLOATING, made_of_sums
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.pointer_roots import apart_from_others, global_pointers, pointer_names, unclear_access
from assistant.plan.expert.analysis.row_reductions import Combination, Reduction, reductions_of
from assistant.plan.expert.analysis.thread_exchange import hidden_builtin, unseen_launch
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["ADDED_TYPES", "OneBlockKernel", "Output", "one_block_kernel"]

ADDED_TYPES = ("int", "unsigned", "unsigned int", "unsigned long long", "unsigned long long int", "float", "double")
"""What ``atomicAdd`` takes (CUDA C++ Programming Guide, "Atomic Functions")."""


class Output(Record):
    """One element that one thread stores."""

    base: str
    type: str
    """Of the element, aliases followed."""
    target: Node
    operator: str
    """``=`` or ``+=``."""
    value: Node
    node: Node
    """The assignment."""
    place: int


class OneBlockKernel(Record):
    """The parts of such a kernel."""

    loop: Node
    header: CountedHeader
    block: Dim3
    reductions: tuple[Reduction, ...]
    outputs: tuple[Output, ...]
    apart: tuple[ApartAsRecorded, ...]
    """Pointers that only recorded launches show to be apart."""


def one_block_kernel(context: TransformationContext) -> OneBlockKernel | Obstacle:
    """The kernel's parts, or why other blocks cannot take some of its elements."""
    tree = context.tree
    block = _block(context)
    function = enclosing_function(tree, context.body)
    if isinstance(block, Obstacle) or function is None:
        return block if isinstance(block, Obstacle) else Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel's body cannot be read")
    found = _loop(context, function, block)
    if isinstance(found, Obstacle):
        return found
    loop, header = found
    reductions = _sums(context, function, loop)
    if isinstance(reductions, Obstacle):
        return reductions
    unclear = unclear_access(tree, function, function.body)
    if unclear is not None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"which element `{unclear}` is does not follow from an index")
    leaving = next(tree.find("return_statement", "goto_statement", inside=function.body), None)
    if leaving is not None:
        return Obstacle(DeclineReason.LEAVES_EARLY, f"the kernel may leave a result as it was, at line {tree.line(leaving)}")
    outputs = _outputs(context, function)
    if isinstance(outputs, Obstacle):
        return outputs
    linear = made_of_sums(tree, function, loop, frozenset(reduction.name for reduction in reductions))
    if isinstance(linear, Obstacle):
        return linear
    other = next((output for output in outputs if output.base not in linear), None)
    if other is not None:
        what = f"line {tree.line(other.node)} stores what is no sum of elements"
        return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"{what}, and every block would add it to `{other.base}`")
    rounded = next(
        (each for each in outputs if any((each.type in FLOATING) != (plain_type(tree, r.type) in FLOATING) for r in reductions)), None
    )
    if rounded is not None:
        words = f"`{rounded.base}` is of another kind of number than the sums, so that each block would round its part"
        return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, words)
    apart = apart_from_others(tree, function, {output.base for output in outputs}, context.recorded)
    return apart if isinstance(apart, Obstacle) else OneBlockKernel(loop, header, block, reductions, outputs, apart)


def _block(context: TransformationContext) -> Dim3 | Obstacle:
    """The flat block of all launches, which are of one block each."""
    obstacle = hidden_builtin(context) or unseen_launch(context)
    if obstacle is not None:
        return obstacle
    launches, blocks = launches_of(context), known_blocks(context)
    grids = [[evaluate(component, launch.scope, {}) for component in launch.grid.components] for launch in launches]
    if not launches or any(not grid or any(count != 1 for count in grid) for grid in grids):
        return Obstacle(DeclineReason.ALREADY_DONE, "not every launch of the kernel is of one block, as its text says")
    if len(blocks) != 1 or blocks[0].y * blocks[0].z != 1 or blocks[0].x == 1:
        return Obstacle(DeclineReason.BLOCK_SHAPE, "the kernel's block is not one row of several threads at every launch")
    used = sorted(names_in(context.tree, context.body) & {"blockIdx", "gridDim"})
    if used:
        return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, f"the kernel uses {used[0]}, which would be another in other blocks")
    return blocks[0]


def _loop(context: TransformationContext, function: Function, block: Dim3) -> tuple[Node, CountedHeader] | Obstacle:
    """The only loop of the kernel's own body in which the block's threads stride over elements."""
    tree = context.tree
    found: list[tuple[Node, CountedHeader]] = []
    for loop in tree.find("for_statement", inside=function.body):
        header = counted_header(tree, loop)
        start = loop.child_by_field_name("initializer")
        is_strided = header is not None and header.step in ("blockDim.x", str(block.x), *_named(context, block.x))
        if loop.parent == function.body and header is not None and is_strided and start is not None and start.type == "declaration":
            found.append((loop, header))
    if len(found) != 1:
        how_many = "several loops" if found else "no loop"
        return Obstacle(DeclineReason.LOOP_FORM, f"{how_many} of the kernel's own body let the block's threads stride over elements")
    loop, header = found[0]
    if header.comparison != "<" or not _is_thread(tree, function, header.first):
        return Obstacle(DeclineReason.LOOP_FORM, "the loop over the elements does not begin at the thread's index in the block")
    if names_in(tree, header.bound_node) & changed_names(tree, loop):
        return Obstacle(DeclineReason.LOOP_FORM, f"the loop changes its bound `{header.bound}`")
    left = next(tree.find("break_statement", inside=loop), None)
    if left is not None:
        return Obstacle(DeclineReason.LEAVES_EARLY, f"the loop over the elements may end early, at line {tree.line(left)}")
    return leaves_or_synchronizes(tree, loop) or (loop, header)


def _named(context: TransformationContext, threads: int) -> tuple[str, ...]:
    """Constants of the text that have the block's size."""
    return tuple(name for name, value in constants_of(context.tree).items() if value == threads)


def _is_thread(tree: SyntaxTree, function: Function, text: str) -> bool:
    """The text is the thread's index in the block, or a local that only holds it."""
    variables = locals_of(tree, function.body).get(text, ())
    is_kept = len(variables) == 1 and text not in changed_names(tree, function.body)
    value = variables[0].value if is_kept else None
    return text == "threadIdx.x" or (value is not None and tree.text(value) == "threadIdx.x")


def _sums(context: TransformationContext, function: Function, loop: Node) -> tuple[Reduction, ...] | Obstacle:
    tree = context.tree
    for name in sorted(pointer_names(tree, function)):
        use = next((use for use in uses_of(tree, loop, name) if use.kind is not Use.READ), None)
        if use is not None:
            return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, f"the loop over the elements changes `{name}` or passes it on")
    reductions = reductions_of(tree, function, loop)
    if isinstance(reductions, Obstacle):
        return reductions
    other = next((each for each in reductions if each.combination is not Combination.SUM), None)
    if other is not None or not reductions or any("." in each.name for each in reductions):
        what = f"`{other.name}` is no sum" if other is not None else "the loop over the elements adds nothing up in plain locals"
        return Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"{what}, and blocks can only add to what others have")
    return reductions


def _outputs(context: TransformationContext, function: Function) -> tuple[Output, ...] | Obstacle:
    tree = context.tree
    found: list[Output] = []
    for base in sorted(global_pointers(tree, function, function.body)):
        uses = uses_of(tree, function.body, base)
        stores = [use for use in uses if use.kind is not Use.READ]
        if stores and len(stores) < len(uses):
            return Obstacle(DeclineReason.USED_ELSEWHERE, f"the kernel reads `{base}`, which blocks would change meanwhile")
        for use in stores:
            output = _output(context, function, base, use.node)
            if isinstance(output, Obstacle):
                return output
            found.append(output)
        places = sorted(output.place for output in found if output.base == base)
        if places != list(range(len(places))):
            return Obstacle(DeclineReason.STORE_FORM, f"the elements of `{base}` that are stored are not its first ones, each once")
    return tuple(found) or Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel stores nothing that blocks could add to")


def _output(context: TransformationContext, function: Function, base: str, element: Node) -> Output | Obstacle:
    tree, line = context.tree, context.tree.line(element)
    why = Obstacle(DeclineReason.STORE_FORM, f"line {line} is not one thread's plain store of a number, which `atomicAdd` could take over")
    change = element.parent
    parameter = function.parameter(base)
    if change is None or change.type != "assignment_expression" or change.parent is None or change.parent.type != "expression_statement":
        return why
    value, operator = change.child_by_field_name("right"), change.child_by_field_name("operator")
    place = canonical(tree, element).removeprefix(f"{base}[").removesuffix("]")
    kind = "" if parameter is None else plain_type(tree, parameter.type)
    is_plain = parameter is not None and parameter.indirection == 1 and not parameter.is_volatile and kind in ADDED_TYPES
    if value is None or operator is None or tree.text(operator) not in ("=", "+=") or not place.isdigit() or not is_plain:
        return why
    if not _is_of_one_thread(tree, function, change.parent):
        return why
    return Output(base, kind, element, tree.text(operator), value, change, int(place))


def _is_of_one_thread(tree: SyntaxTree, function: Function, statement: Node) -> bool:
    """Thread 0 alone runs it, once."""
    is_chosen = False
    inner = statement
    for outer in tree.ancestors(statement):
        if outer == function.body:
            break
        if outer.type == "if_statement":
            if outer.child_by_field_name("consequence") != inner:
                return False
            condition = condition_of(outer)
            parts = None if condition is None else binary_parts(condition)
            is_first = parts is not None and parts[0] == "==" and tree.text(parts[2]) == "0"
            is_chosen |= is_first and parts is not None and _is_thread(tree, function, tree.text(parts[1]))
            if condition is None or not all(_is_known_in_block(tree, function, name) for name in names_in(tree, condition)):
                return False
        elif outer.type != "compound_statement":
            return False
        inner = outer
    return is_chosen


def _is_known_in_block(tree: SyntaxTree, function: Function, name: str) -> bool:
    """Of a condition: the thread's index, or a constant, so that the first thread gets to the store at every launch."""
    return name in ("threadIdx", "blockDim") or name in constants_of(tree) or _is_thread(tree, function, name)
