"""Barriers that only some threads of a block can reach, found in the text alone (KO204). Pure.

A condition is evaluated for thread indices of the blocks that the text launches, or of usual ones; it must split every such block. Where
it also depends on the data's size, only a comparison of a global index (``blockIdx`` and ``threadIdx``) counts, and only as information.
Example::

    if (threadIdx.x < 16) __syncthreads();     // KO204
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product, takewhile

from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function
from assistant.cuda.integers import Scope, Write, evaluate
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.editor.view import Note
from assistant.model.launch import Dim3
from assistant.model.profile import Severity
from assistant.plan.expert.analysis.thread_dependence import thread_axes
from assistant.record import Record

__all__ = ["Threads", "barrier_notes", "guarded_barriers"]

_CODE = "KO204"
_BARRIERS = frozenset({"__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"})
_USUAL_1D = tuple(Dim3(size, 1, 1) for size in (32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024))
_USUAL_2D = (Dim3(32, 32, 1), Dim3(32, 8, 1), Dim3(16, 16, 1), Dim3(8, 8, 1), Dim3(64, 4, 1), Dim3(128, 2, 1), Dim3(256, 2, 1))
_USUAL_3D = (Dim3(8, 8, 8), Dim3(4, 4, 4), Dim3(32, 4, 2))
_TRIED_X = (0, 1, 2, 15, 16, 31, 32, 33, 63, 64, 127, 128)
_TRIED_Y = (0, 1, 3, 4)
"""Thread indices that are tried, with the middle and the last; a split that none of them shows is not reported."""
_OUT_OF_SIGHT = frozenset({"lambda_expression", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "switch_statement"})
_MEMORY = ("subscript_expression", "pointer_expression", "call_expression", "assignment_expression", "update_expression")
_MAX_DEPTH = 4
"""Deepest chain of definitions that is followed."""
_WORDS_KEPT = 60
"""Characters of a condition that a message quotes."""


class Threads(Record):
    """What the text says of the blocks of a function."""

    blocks: tuple[Dim3, ...] | None
    """None: any."""

    def tried(self, axes: frozenset[str]) -> tuple[Dim3, ...]:
        """The blocks to try a condition with, in a function that uses these thread indices."""
        if self.blocks is not None:
            return self.blocks
        return _USUAL_3D if "z" in axes else _USUAL_2D if "y" in axes else _USUAL_1D


def guarded_barriers(tree: SyntaxTree, function: Function) -> tuple[Node, ...]:
    """Calls of ``__syncthreads()`` and its variants inside an ``if`` that can be read."""
    calls = (c for c in tree.find("call_expression", inside=function.body) if callee_name(tree, c) in _BARRIERS)
    return tuple(call for call in calls if any(_ifs_around(tree, function, call)))


def barrier_notes(tree: SyntaxTree, function: Function, barriers: Sequence[Node], scope: Scope, threads: Threads) -> Iterator[Note]:
    """At most one note per barrier, of the innermost condition that splits a block."""
    search = _Search(tree, function, _of_first_pass(scope), threads)
    for barrier in barriers:
        notes = (search.note(barrier, statement) for statement in _ifs_around(tree, function, barrier))
        yield from (note for note in (next((n for n in notes if n is not None), None),) if note is not None)


def _ifs_around(tree: SyntaxTree, function: Function, barrier: Node) -> tuple[Node, ...]:
    """``if`` statements with the barrier in one branch only, the innermost first; none where more than ``if`` decides."""
    around = list(takewhile(lambda node: node != function.body, tree.ancestors(barrier)))
    if any(node.type in _OUT_OF_SIGHT or node.has_error for node in around):
        return ()
    return tuple(n for n in around if n.type == "if_statement" and not _is_in_condition(barrier, n) and not _waits_in_both(tree, n))


class _Search(Record):
    tree: SyntaxTree
    function: Function
    scope: Scope
    threads: Threads

    def note(self, barrier: Node, statement: Node) -> Note | None:
        """What there is to say of the barrier because of an ``if`` around it."""
        condition = condition_of(statement)
        if condition is None or not self._axes(condition, 0):
            return None
        used = {
            self.tree.text(f)[-1] for f in self.tree.find("field_expression", inside=self.function.body) if _is_thread_index(self.tree, f)
        }
        splits = {self._split(block, condition, statement) for block in self.threads.tried(frozenset(used))}
        where, name = self.tree.line(barrier), callee_name(self.tree, barrier)
        shown = f"`{_short(self.tree.text(condition))}` (line {self.tree.line(condition)})"
        if splits == {True}:
            message = f"{shown} splits the block: only some of its threads reach this {name}(), and all of them must"
            return Note("static", where, 0, Severity.WARNING, message, "kernelopt", _CODE)
        if splits == {None} and self._is_bounds_check(condition):
            message = (
                f"In a block that {shown} splits, only some of the threads reach this {name}(), and all of them must: "
                "move it out of the branch, unless every block lies entirely on one side"
            )
            return Note("static", where, 0, Severity.INFORMATION, message, "kernelopt", _CODE)
        return None

    def _split(self, block: Dim3, condition: Node, statement: Node) -> bool | None:
        """Do threads of the block disagree? None where more than their index decides."""
        leaving = list(self._leaving(statement))
        answers: set[bool] = set()
        for thread in _threads(block):
            environment = _environment(block, thread)
            if any(evaluate(left, self.scope, environment) for left in leaving):
                continue
            value = evaluate(condition, self.scope, environment)
            if value is None:
                return None
            answers.add(bool(value))
            if len(answers) == 2:
                return True
        return False

    def _axes(self, node: Node, depth: int) -> bool:
        """Does the thread's index decide the value, memory and calls having no part in it?"""
        if depth > _MAX_DEPTH:
            return False
        axes = thread_axes(self.tree, self.function, node)
        if axes is not None:
            return bool(axes)
        if any(self.tree.find(*_MEMORY, inside=node)):
            return False
        names = [self.tree.text(n) for n in self.tree.find("identifier", inside=node)]
        starts = [w for name in names for w in self.scope.writes.get(name, ()) if w.is_loop_start]
        has_index = any(_is_thread_index(self.tree, f) for f in self.tree.find("field_expression", inside=node))
        values = (w.value for w in starts) if starts else (self.scope.definition(name) for name in names)
        return (has_index and bool(starts)) or any(v is not None and self._axes(v, depth + 1) for v in values)

    def _leaving(self, statement: Node) -> Iterator[Node]:
        """Conditions of ``if (…) return;`` before the statement."""
        for earlier in self.function.body.named_children:
            branch = earlier.child_by_field_name("consequence") if earlier.type == "if_statement" else None
            only = None if branch is None else lone_statement(branch)
            condition = condition_of(earlier) if earlier.end_byte <= statement.start_byte else None
            if only is not None and only.type == "return_statement" and condition is not None:
                yield condition

    def _is_bounds_check(self, condition: Node) -> bool:
        """Is a position in the whole grid compared?"""
        return self._reaches_grid(condition, 0)

    def _reaches_grid(self, node: Node, depth: int) -> bool:
        if any(self.tree.text(f).startswith("blockIdx") for f in self.tree.find("field_expression", inside=node)):
            return True
        names = (self.scope.definition(self.tree.text(n)) for n in self.tree.find("identifier", inside=node))
        return depth < _MAX_DEPTH and any(value is not None and self._reaches_grid(value, depth + 1) for value in names)


def _waits_in_both(tree: SyntaxTree, statement: Node) -> bool:
    """Has the other branch a barrier, too?"""
    sides = [statement.child_by_field_name(side) for side in ("consequence", "alternative")]
    return all(
        side is not None and any(callee_name(tree, c) in _BARRIERS for c in tree.find("call_expression", inside=side)) for side in sides
    )


def _is_in_condition(barrier: Node, statement: Node) -> bool:
    condition = condition_of(statement)
    if condition is None:
        return True
    return condition.start_byte <= barrier.start_byte and barrier.end_byte <= condition.end_byte


def _of_first_pass(scope: Scope) -> Scope:
    """The same names, where only locals with one value have it, and the variables of ``for`` loops that of the first pass."""
    unknown = (Write(0, None, is_loop_start=False),)
    kept = {name: w if len(w) == 1 or all(one.is_loop_start for one in w) else unknown for name, w in scope.writes.items()}
    return Scope(scope.constants, scope.formulas, kept)


def _is_thread_index(tree: SyntaxTree, field: Node) -> bool:
    return tree.text(field).startswith("threadIdx")


def _threads(block: Dim3) -> Iterator[tuple[int, int, int]]:
    """Some threads of the block, the first and the last among them."""
    return product(_tried(_TRIED_X, block.x), _tried(_TRIED_Y, block.y), _tried(_TRIED_Y, block.z))


def _tried(indices: tuple[int, ...], size: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for i in (*indices, size // 2, size - 1) if i < size))


def _environment(block: Dim3, thread: tuple[int, int, int]) -> Mapping[str, int]:
    x, y, z = thread
    sizes = {"blockDim.x": block.x, "blockDim.y": block.y, "blockDim.z": block.z, "warpSize": 32}
    return {**sizes, "threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": z}


def _short(text: str) -> str:
    spaced = " ".join(text.split())
    return spaced if len(spaced) <= _WORDS_KEPT else spaced[:_WORDS_KEPT] + "…"
