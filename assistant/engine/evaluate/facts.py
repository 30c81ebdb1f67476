"""What the rules need to know of a kernel's source, read off its syntax tree.

A device helper's lines count as the kernel's own: its loops and literals run inside the kernel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.assignments import assignments
from assistant.cuda.branches import condition_of
from assistant.cuda.calls import callee_name
from assistant.cuda.carried_elements import carried_elements
from assistant.cuda.code_patterns import CodePattern, squeezed
from assistant.cuda.functions import functions
from assistant.cuda.literals import double_literals
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.names import names_in
from assistant.cuda.row_loads import row_loads
from assistant.cuda.scopes import scope_inside
from assistant.cuda.structs import struct_fields
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.thread_loops import begins_by_thread
from assistant.cuda.variables import declared_variables, locals_of
from assistant.cuda.written_out_trees import written_out_trees
from assistant.engine.evaluate.reloads import reloads
from assistant.engine.evaluate.struct_uses import struct_uses
from assistant.model.launch import Dim3
from assistant.model.source import Kernel, ParsedSource, Source, Span
from assistant.plan.expert.analysis.cheaper_functions import CheaperForm, cheaper_forms
from assistant.plan.expert.analysis.constant_powers import constant_powers
from assistant.plan.expert.analysis.diagonal_loop import diagonals_line
from assistant.plan.expert.analysis.divided_roots import divided_root_obstacle, divided_roots
from assistant.plan.expert.analysis.pass_loop import passes_line
from assistant.plan.expert.analysis.running_powers import running_powers
from assistant.plan.expert.analysis.unchanging_loads import stored_in
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.analysis.warp_requests import WarpRequest, requests_of
from assistant.profile.facts import (
    AccessCost,
    CarriedLoad,
    DearFunction,
    DividedRoot,
    InvariantLoad,
    LineFacts,
    LoopFacts,
    PointerFacts,
    SourceFacts,
    TreeFacts,
)

__all__ = ["source_facts"]

_COUNTED_LOOP = CodePattern(
    r"\Afor\((?:(?:const )?(?:unsigned )?(?:int|unsigned|size_t|long|short) )?(\w+)=(\d+);\1(<=?)(\d+);(?:\+\+\1|\1\+\+|\1\+=(\d+))\)"
)
"""``for (int i = 0; i < 8; i++)``: the only loops whose trip count is read off the text."""
_HALVING_LOOP = CodePattern(r"for\([^;]*?\b(\w+)=[^;]*;\1(?:>0|>=1|!=0)?;\1(?:>>=1|/=2|=\1(?:>>1|/2))\)")
"""``for (int s = blockDim.x / 2; s > 0; s >>= 1)``."""
_HALVING_WHILE = CodePattern(r"while\((\w+)(?:>0|>=1|!=0)?\)\{.*[;}]\1(?:>>=1|/=2|=\1(?:>>1|/2));")
"""``while (s != 0) { …; s /= 2; }``."""
_DOUBLED = r"(?:<<=1|\*=2|\+=\{0}|=\{0}(?:<<1|\*2|\+\{0})|=2\*\{0})"
_SCAN_LOOP = CodePattern(rf"(?:for|while)\(.*?\b(\w+){_DOUBLED.format(1)}.*?-\1\b|while\(.*?-(\w+)\b.*\b\2{_DOUBLED.format(2)}")
"""``for (int d = 1; d < n; d *= 2) { … a[t - d] … }``."""
_BY_PAIRS = r"(?=.*(?:\b2\*{0}\b|\b{0}\*2\b|\b{0}<<1))(?=.*(?:\+{0}\]|\[{0}\+))"
_DOUBLING_LOOP = CodePattern(
    rf"for\([^;]*?\b(\w+)=1;[^;]*;\1{_DOUBLED.format(1)}\){_BY_PAIRS.format(chr(92) + '1')}"
    rf"|while\((\w+)<[^{{]*\)\{{{_BY_PAIRS.format(chr(92) + '2')}.*[;}}]\2{_DOUBLED.format(2)};"
)
"""``for (int s = 1; s < blockDim.x; s *= 2) { … if (t % (2 * s) == 0) a[t] += a[t + s]; … }``."""
_FIRST_THREAD = CodePattern(r"([\w.]+)==0(?:&&([\w.]+)==0)?|!([\w.]+)|([\w.]+)<1|0==([\w.]+)")
_BARRIER = CodePattern(r"\b(?:__syncthreads\w*|__syncwarp|(?:arrive_and_)?wait|sync)\(")
"""``__syncthreads()``, ``grid.sync()``, ``cg::sync(block)``; not ``__shfl_down_sync``."""
_ACCESS_CHARACTERS = 24
_REDUCING = frozenset({"sinf", "cosf", "tanf", "sincosf", "sin", "cos", "tan", "sincos"})
"""Of float arguments: from 105615 on, in double precision (nvcc 13.0, sm_90). Programming guide, "Mathematical Functions"."""
_DOUBLE_TYPE = CodePattern(r"\bdouble[234]?\b")


@dataclass
class _Line:
    double_literals: list[str] = field(default_factory=list[str])
    powers: list[str] = field(default_factory=list[str])
    double_powers: list[str] = field(default_factory=list[str])
    running_powers: list[str] = field(default_factory=list[str])
    divided_roots: list[DividedRoot] = field(default_factory=list[DividedRoot])
    dear_functions: list[DearFunction] = field(default_factory=list[DearFunction])
    reduces_arguments: bool = False
    accumulated: list[str] = field(default_factory=list[str])
    invariant: dict[str, InvariantLoad] = field(default_factory=dict[str, InvariantLoad])
    varying: set[str] = field(default_factory=set[str])
    carried: list[CarriedLoad] = field(default_factory=list[CarriedLoad])
    stored: list[str] = field(default_factory=list[str])
    read: list[str] = field(default_factory=list[str])
    fields: list[str] = field(default_factory=list[str])
    moves_structures: bool = False


def source_facts(
    parsed: ParsedSource, kernel: Kernel, blocks: Sequence[Dim3] = (), outer: str = "", others: tuple[Source, ...] = ()
) -> SourceFacts:
    """Facts of the kernel, launched with these blocks, and of the device functions it calls.

    ``outer``: as of ``outer_definitions``; ``others``: the program's other files, which may declare its types.
    """
    tree = SyntaxTree(parsed.source.text, others=others, outer=outer)
    helpers = [f.body for f in parsed.device_functions if f.name in kernel.device_functions]
    bodies = [node for span in (kernel.body, *helpers) if (node := _body(tree, span)) is not None]
    pointers = {parameter.name for parameter in kernel.parameters if parameter.is_pointer}
    structs = struct_uses(parsed, tree, kernel, bodies)
    declared = struct_fields(parsed.source.text)
    of_structures = {parameter.name for parameter in kernel.parameters if parameter.is_pointer and parameter.element_type in declared}
    declares_double = _DOUBLE_TYPE.is_in(_without_constants(tree, kernel)) or any(_is_double(tree, body, body) for body in bodies)
    lines: defaultdict[int, _Line] = defaultdict(_Line)
    for body in bodies:
        _read_literals(tree, body, lines)
        _read_powers(tree, body, lines)
        _read_roots(tree, body, lines)
        _read_functions(tree, body, lines)
        for call in tree.find("call_expression", inside=body):
            lines[tree.line(call)].reduces_arguments |= callee_name(tree, call) in _REDUCING
        _read_accesses(tree, body, pointers, lines)
        for access in array_accesses(tree, body):
            lines[tree.line(access.node)].moves_structures |= access.base in of_structures
        for element in carried_elements(tree, body):
            lines[tree.line(element.load)].carried.append(CarriedLoad(element.base, tree.line(element.store)))
    for number, text, load in reloads(tree, bodies, pointers):
        if load is None:
            lines[number].varying.add(text)
        else:
            lines[number].invariant[text] = load
    lines.update({number: _Line() for number in structs if number not in lines})  # members used through a reference
    return SourceFacts(
        lines=tuple(
            LineFacts(
                line=number,
                double_literals=tuple(found.double_literals),
                powers=tuple(found.powers),
                double_powers=tuple(found.double_powers),
                running_powers=tuple(found.running_powers),
                divided_roots=tuple(found.divided_roots),
                dear_functions=tuple(found.dear_functions),
                reduces_arguments=found.reduces_arguments,
                accumulated_pointers=_unique(found.accumulated),
                invariant_loads=tuple(found.invariant.values()),
                varying_load_count=len(found.varying - found.invariant.keys()),
                carried_loads=tuple(found.carried),
                stored_pointers=_unique(found.stored),
                read_count=sum(name not in found.accumulated for name in found.read),
                struct_fields=_unique(found.fields),
                moves_structures=found.moves_structures or number in structs,
                structs=structs.get(number, ()),
            )
            for number, found in sorted(lines.items())
        ),
        loops=tuple(loop for body in bodies for loop in _loops(tree, body)),
        trees=_trees(tree, _body(tree, kernel.body)),
        pointers=_pointers(tree, kernel),
        kernel_line=kernel.line,
        declares_double=declares_double,
        four_rows_loads_ratio=_four_rows(tree, _body(tree, kernel.body)),
        passes_line=passes_line(tree, kernel, parsed.launch_sites_of(kernel)),
        diagonals_line=diagonals_line(tree, kernel, parsed.launch_sites_of(kernel)),
        costs=_costs(parsed, tree, kernel, blocks),
    )


def _trees(tree: SyntaxTree, body: Node | None) -> tuple[TreeFacts, ...]:
    found = () if body is None else written_out_trees(tree, body)
    return tuple(TreeFacts(tree.line(first), last.end_point[0] + 1) for first, last in found)


def _costs(parsed: ParsedSource, tree: SyntaxTree, kernel: Kernel, blocks: Sequence[Dim3]) -> tuple[AccessCost, ...]:
    requests = requests_of(parsed, tree, kernel, blocks)
    partial = {request.line for request in requests if request.ideal is None or not request.is_whole_line}
    whole = (request for request in requests if request.line not in partial)
    return tuple(AccessCost(r.line, _shortly(r), r.is_store, r.sectors, r.ideal or 0) for r in whole)


def _shortly(request: WarpRequest) -> str:
    """The access as it is written; of a long one, or one that a message cannot hold, its pointer."""
    is_plain = len(request.text) <= _ACCESS_CHARACTERS and not set(request.text) & set("(;:\n")
    return request.text if is_plain else request.pointer


def _four_rows(tree: SyntaxTree, body: Node | None) -> float | None:
    if body is None or any(tree.find(*LOOPS, inside=body)):
        return None
    values = ((v.name, v.value) for found in locals_of(tree, body).values() for v in found)
    rows = [name for name, value in values if value is not None and "threadIdx.y" in tree.text(value)]
    loads = row_loads(tree, body, rows[0], 4) if len(rows) == 1 else None
    return None if loads is None else loads.all_rows / (4 * loads.single_row)


def _body(tree: SyntaxTree, span: Span) -> Node | None:
    node = tree.node_at(span)
    while node is not None and tree.span(node).start < span.start:
        node = next((c for c in node.children if tree.span(c).start <= span.start < tree.span(c).end), None)
    return node


def _without_constants(tree: SyntaxTree, kernel: Kernel) -> str:
    """The kernel's text without the declarations of doubles that are constants made of literals."""
    text, span, body = tree.source, kernel.span, _body(tree, kernel.body)
    for declared in () if body is None else reversed(_constant_declarations(tree, body)):
        place = tree.span(declared)
        text = text[: place.start] + " " * (place.end - place.start) + text[place.end :]
    return text[span.start : span.end]


def _constant_declarations(tree: SyntaxTree, body: Node) -> tuple[Node, ...]:
    """Declarations of nothing but such doubles, in source order."""
    constants = _constants(tree, body)
    return tuple(
        one for one in tree.find("declaration", inside=body) if {variable.name for variable in declared_variables(tree, one)} <= constants
    )


def _constants(tree: SyntaxTree, body: Node) -> frozenset[str]:
    function = next((function for function in functions(tree) if function.body == body), None)
    return frozenset() if function is None else ValueKinds(tree, function).own_constants


def _read_literals(tree: SyntaxTree, body: Node, lines: defaultdict[int, _Line]) -> None:
    """Literals, and constants made of them, that stand in code that is not double otherwise."""
    constants, declarations = _constants(tree, body), _constant_declarations(tree, body)
    doubles = {name for name, found in locals_of(tree, body).items() if any(_DOUBLE_TYPE.is_in(v.type) for v in found)} - constants
    named = (node for node in tree.find("identifier", inside=body) if tree.text(node) in constants)
    for literal in (*double_literals(tree, body), *named):
        if any(declared.start_byte <= literal.start_byte < declared.end_byte for declared in declarations):
            continue
        statement = _statement(tree, literal)
        is_meant = statement is not None and (not doubles.isdisjoint(names_in(tree, statement)) or _is_double(tree, body, statement))
        if not is_meant:
            lines[tree.line(literal)].double_literals.append(tree.text(literal))


def _is_double(tree: SyntaxTree, body: Node, region: Node) -> bool:
    """It works with elements or members of type double, under whatever name; the kernel itself need not spell the type."""
    function = next((function for function in functions(tree) if function.body == body), None)
    kinds = None if function is None else ValueKinds(tree, function)
    nodes = tree.find("field_expression", "subscript_expression", inside=region)
    return kinds is not None and any(kinds.of(node) is Kind.DOUBLE for node in nodes)


def _read_powers(tree: SyntaxTree, body: Node, lines: defaultdict[int, _Line]) -> None:
    for function in functions(tree):
        for power in constant_powers(tree, function) if function.body == body else ():
            line = lines[tree.line(power.call)]
            (line.double_powers if power.is_double else line.powers).append(tree.text(power.call))
        for power in running_powers(tree, function) if function.body == body else ():
            line = lines[tree.line(power.call)]
            (line.double_powers if power.is_double else line.powers).append(tree.text(power.call))
            line.running_powers.append(tree.text(power.call))


def _read_roots(tree: SyntaxTree, body: Node, lines: defaultdict[int, _Line]) -> None:
    for function in functions(tree):
        for root in divided_roots(tree, function) if function.body == body else ():
            if divided_root_obstacle(tree, function, root) is None:
                text = tree.text(root.call if root.variable is not None else root.quotients[0].node)
                places = tuple(tree.line(quotient.node) for quotient in root.quotients)
                lines[tree.line(root.call)].divided_roots.append(DividedRoot(text, root.kind is Kind.DOUBLE, places))


def _read_functions(tree: SyntaxTree, body: Node, lines: defaultdict[int, _Line]) -> None:
    for function in functions(tree):
        for form in cheaper_forms(tree, function) if function.body == body else ():
            for call, found in _dear_functions(tree, form) if form.obstacle is None else ():
                lines[tree.line(call)].dear_functions.append(found)


def _dear_functions(tree: SyntaxTree, form: CheaperForm) -> Iterator[tuple[Node, DearFunction]]:
    for sine in form.sines:
        yield sine.call, DearFunction(tree.text(sine.call), sine.routine, "turn", sine.kind is Kind.DOUBLE)
    for pair in form.pairs:
        for sine in pair.sines:
            kind = "pair" if sine.taken is None else "turns"
            yield sine.call, DearFunction(tree.text(sine.call), pair.routine, kind, sine.kind is Kind.DOUBLE)
    if form.power is not None:
        power = form.power
        yield power.call, DearFunction(tree.text(power.call), power.routine, "power", power.kind is Kind.DOUBLE)


def _read_accesses(tree: SyntaxTree, body: Node, pointers: set[str], lines: defaultdict[int, _Line]) -> None:
    for access in array_accesses(tree, body):
        if access.base not in pointers:
            continue
        line = lines[tree.line(access.node)]
        loops = loops_around(tree, access.node)
        is_invariant = bool(loops) and _is_invariant(tree, access, loops[0])
        if access.kind in (Use.WRITE, Use.UPDATE):
            line.stored.append(access.base)
        else:
            line.read.append(access.base)
        if is_invariant and (access.kind is Use.UPDATE or _is_read_back(tree, access)):
            line.accumulated.append(access.base)
        parent = access.node.parent
        if parent is not None and parent.type == "field_expression":
            member = parent.child_by_field_name("field")
            line.fields += [] if member is None else [tree.text(member)]


def _is_invariant(tree: SyntaxTree, access: ArrayAccess, loop: Node) -> bool:
    """No variable of the index is changed or declared inside the loop."""
    changed = {tree.text(a.target) for a in assignments(tree, loop)} | locals_of(tree, loop).keys()
    used = {tree.text(n) for index in access.indices for n in tree.find("identifier", inside=index)}
    return not used & changed and access.base not in changed


def _is_read_back(tree: SyntaxTree, access: ArrayAccess) -> bool:
    """``o[i] = o[i] + x``: the same element stands on both sides."""
    if access.kind is not Use.WRITE:
        return False
    spelled = squeezed(tree.text(access.node))
    node = access.node.parent
    while node is not None and node.type != "assignment_expression":
        node = node.parent
    value = None if node is None else node.child_by_field_name("right")
    if value is None:
        return False
    return any(squeezed(tree.text(other.node)) == spelled for other in array_accesses(tree, value))


def _statement(tree: SyntaxTree, node: Node) -> Node | None:
    return next((a for a in tree.ancestors(node) if a.type in ("expression_statement", "declaration", "return_statement")), None)


def _loops(tree: SyntaxTree, body: Node) -> Iterator[LoopFacts]:
    for node in tree.find(*LOOPS, inside=body):
        head = tree.text(node).split("{")[0]
        before = tree.source[: tree.span(node).start].rstrip().rsplit("\n", 1)[-1]
        yield LoopFacts(
            line=tree.line(node),
            end_line=node.end_point[0] + 1,
            depth=1 + len(loops_around(tree, node)),
            trip_count=_trip_count(head),
            has_unroll_pragma="unroll" in before and "#pragma" in before,
            has_barrier=_BARRIER.is_in(tree.text(node)),
            is_halving=_HALVING_LOOP.begins(head) or _HALVING_WHILE.begins(tree.text(node)),
            is_doubling=_DOUBLING_LOOP.begins(tree.text(node)),
            is_dealt=begins_by_thread(tree, scope_inside(tree, body), node),
            is_scan=sum(1 for _ in tree.find(*LOOPS, inside=node)) == 1 and _SCAN_LOOP.begins(tree.text(node)),
            is_first_threads=any(_asks_for_first_thread(tree, body, ancestor) for ancestor in tree.ancestors(node)),
        )


def _asks_for_first_thread(tree: SyntaxTree, body: Node, branch: Node) -> bool:
    """``if (threadIdx.x == 0)``, or a local that holds the index in its place."""
    condition = condition_of(branch) if branch.type == "if_statement" else None
    compared = None if condition is None else _FIRST_THREAD.whole(tree.text(condition))
    if compared is None:
        return False
    local = locals_of(tree, body)
    names = [compared[group] for group in range(1, 6) if compared[group]]
    indices = {tree.text(v.value) if v.value is not None else name for name in names for v in local.get(name, ())}
    return {*indices, *(name for name in names if name not in local)} in ({"threadIdx.x"}, {"threadIdx.x", "threadIdx.y"})


def _trip_count(head: str) -> int | None:
    match = _COUNTED_LOOP.search(head)
    if match is None:
        return None
    first, last = int(match[2]), int(match[4]) + (match[3] == "<=")
    return max(0, -(-(last - first) // int(match[5] or 1)))


def _pointers(tree: SyntaxTree, kernel: Kernel) -> tuple[PointerFacts, ...]:
    body = _body(tree, kernel.body)
    accesses = () if body is None else array_accesses(tree, body)
    function = next((function for function in functions(tree) if function.body == body), None)
    followed = frozenset[str]() if function is None else stored_in(tree, function, function.body)
    written = {a.base for a in accesses if a.kind is not Use.READ and not _is_bound(a.node)} | followed
    return tuple(
        PointerFacts(p.name, p.element_type or "", p.is_const, p.is_restrict, p.name in written) for p in kernel.parameters if p.is_pointer
    )


def _is_bound(element: Node) -> bool:
    """``Biquad &q = bank[i];``: what is done by the reference says more."""
    declarator = None if element.parent is None else element.parent.child_by_field_name("declarator")
    return declarator is not None and declarator.type == "reference_declarator"


def _unique(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
