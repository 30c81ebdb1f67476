"""A text that is typed in is read in part; what comes out is what reading all of it would give."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.cuda.parse import parse_with_trees
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.editor.parse_pause import ParsePause
from assistant.editor.static_notes import StaticNotes, static_notes
from assistant.model.source import Source

_ROOT = Path(__file__).parents[3]
_PROGRAMS = sorted((_ROOT / "examples").glob("*.cu"))
_TYPED = (
    "x",
    "(",
    ")",
    "{",
    "}",
    ";",
    " + 1",
    "threadIdx.x",
    "\n",
    "/*",
    "*/",
    '"',
    "<<<",
    "[i]",
    "int ",
    " * 0.1",
    "#if 1\n",
    "é",
    "powf(x, 2.0f)",
)
_EDITS = 12


def _nodes(tree: SyntaxTree) -> list[tuple[object, ...]]:
    """All that can be seen of a tree."""
    stack: list[Node] = [tree.root]
    seen: list[tuple[object, ...]] = []
    while stack:
        node = stack.pop()
        seen.append((node.type, node.start_byte, node.end_byte, node.start_point, node.is_named, node.is_missing, node.is_error))
        stack += node.children
    return seen


def _typed(text: str, seed: int) -> Iterator[str]:
    """Texts as somebody leaves them one keystroke after the other."""
    chosen = random.Random(seed)
    for _ in range(_EDITS):
        at = chosen.randrange(len(text) + 1)
        text = text[:at] + (chosen.choice(_TYPED) + text[at:] if chosen.random() < 0.6 else text[at + chosen.randrange(1, 6) :])
        yield text


@pytest.mark.parametrize("path", _PROGRAMS, ids=lambda path: path.name)
def test_typing_gives_what_reading_the_whole_text_gives(path: Path) -> None:
    text, notes = path.read_text("utf-8"), StaticNotes()
    parsed, trees = parse_with_trees(Source(path, text))
    notes.of(parsed, trees)
    for now in _typed(text, seed=len(text)):
        whole, whole_trees = parse_with_trees(Source(path, now))
        parsed, trees = parse_with_trees(Source(path, now), trees)
        assert parsed == whole
        assert [_nodes(tree) for tree in trees] == [_nodes(tree) for tree in whole_trees]
        assert notes.of(parsed, trees) == static_notes(whole, whole_trees)


def test_what_an_index_finds_in_a_function_is_what_a_walk_finds() -> None:
    text = "\n".join(path.read_text("utf-8") for path in _PROGRAMS)
    tree = SyntaxTree(text)
    assert tree.root.descendant_count > 5_000, "shorter texts have no index"
    for kinds in (("call_expression",), ("declaration", "for_range_loop"), ("parameter_declaration",), ("function_definition",)):
        every = list(tree.find(*kinds))
        for node in (
            *tree.find("compound_statement"),
            *tree.find("parameter_list"),
            *tree.find("call_expression"),
            *tree.find("type_identifier"),
        ):
            inside = [each for each in every if each.id == node.id or any(parent.id == node.id for parent in tree.ancestors(each))]
            assert list(tree.find(*kinds, inside=node)) == inside


def test_a_source_is_parsed_soon_after_a_keystroke_and_half_of_the_time_at_most() -> None:
    async def typed() -> list[float]:
        clock = asyncio.get_running_loop().time
        began: list[float] = []

        def parse(_: str) -> None:
            began.append(clock())
            while clock() < began[-1] + 0.05:
                pass

        pause = ParsePause(parse)
        begin = clock()
        for count in (1, 2):
            pause.typed("a.cu")
            pause.typed("a.cu")
            while len(began) < count:  # noqa: ASYNC110 the loop's own clock is what is tested
                await asyncio.sleep(0.001)
        return [at - begin for at in began]

    first, second = asyncio.run(typed())
    assert first > 0.009 and second - first >= 0.1
