"""Which versions a search carries on with, and which of them is the best."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from assistant.engine.proposals.steps import HOST_CODE_MARGIN, KeptStep
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.trials import SearchNode
from assistant.model.plan import Rewrite, Step, Technique
from assistant.model.verification import Label

_STEP = Step("t", "k()", 1, "", (), "", (), 0.0)
_NOTHING: Any = cast("Any", None)
"""A frontier never looks at what a version showed."""


def node(
    name: str, ratio: float, parent: SearchNode | None = None, host: bool = False, decision: bool = False, deferred: bool = False
) -> SearchNode:
    rewrite = Rewrite("t", "k()", 1, (), name, (Label.HOST_CODE,) if host else ())
    kept = KeptStep(Technique("t", "T", (), (), ""), _STEP, rewrite, None, (), ())
    before = SearchNode(_NOTHING) if parent is None else parent
    return replace(
        before,
        kept=(*before.kept, kept),
        attempts=(*before.attempts, name),
        needs_decision=decision or deferred,
        is_deferred=deferred,
        ratio=ratio,
    )


def names(nodes: tuple[SearchNode, ...]) -> list[str]:
    return [item.attempts[-1] for item in nodes]


def chain() -> Frontier:
    return Frontier.at(SearchNode(_NOTHING))


def test_a_chain_builds_on_the_best_of_each_round() -> None:
    frontier = chain().after([node("a", 1.2), node("b", 1.5), node("c", 1.5)])
    assert names(frontier.nodes) == ["b"]
    second = frontier.after([node("d", 1.6, frontier.nodes[0])])
    assert names(second.nodes) == ["d"]
    assert names(second.ranked()) == ["d", "b", "c", "a"]


def test_what_is_offered_is_the_best_ever_not_the_last() -> None:
    first = chain().after([node("a", 2.0), node("b", 1.5)])
    second = first.elsewhere(first.nodes[0]).after([node("c", 1.6, first.spare[0])])
    assert names(second.ranked())[:2] == ["a", "c"]
    assert second.best_ratio == 2.0


def test_the_end_of_a_chain_comes_before_what_it_was_built_on() -> None:
    """However little it adds: an edit of host code that was chosen is not weighed against its own parent."""
    first = chain().after([node("a", 1.50)])
    second = first.after([node("b", 1.53, first.nodes[0], host=True)])
    assert names(second.ranked()) == ["b", "a"]


def test_of_similar_gains_the_edit_inside_the_kernel_is_built_on() -> None:
    host, pure = node("host", 1.5 * HOST_CODE_MARGIN - 0.01, host=True), node("pure", 1.5)
    assert names(chain().after([host, pure]).nodes) == ["pure"]
    more = node("more", 1.5 * HOST_CODE_MARGIN + 0.01, host=True)
    assert names(chain().after([pure, more]).nodes) == ["more"]


def test_what_a_human_must_decide_on_is_never_built_on() -> None:
    mixed = chain().after([node("precise", 1.1), node("rough", 3.0, decision=True)])
    assert names(mixed.nodes) == ["precise"]
    alone = chain().after([node("rough", 3.0, decision=True)])
    assert alone.nodes == ()
    assert names(alone.ranked()) == ["rough"]


def test_after_a_round_without_gain_a_spare_version_is_built_on_then_the_same_again() -> None:
    first = chain().after([node("a", 1.5), node("b", 1.2)])
    second = first.elsewhere(first.nodes[0])
    assert names(second.nodes) == ["b"]
    assert names(second.elsewhere(second.nodes[0]).nodes) == ["b"]
    assert names(second.ranked()) == ["a", "b"]


def test_a_search_goes_on_from_what_is_decided_on_at_its_end() -> None:
    first = chain().after([node("pure", 1.2), node("vector", 2.0, deferred=True)])
    assert names(first.nodes) == ["vector"]
    second = first.after([node("more", 2.6, first.nodes[0], deferred=True)])
    assert names(second.ranked()) == ["more", "vector", "pure"]


def test_of_equals_the_one_without_a_decision_is_chosen() -> None:
    assert names(chain().after([node("vector", 2.0, deferred=True), node("pure", 2.0)]).nodes) == ["pure"]


def test_what_an_agent_submitted_comes_before_all_others() -> None:
    chosen = replace(node("chosen", 1.1), is_submitted=True)
    assert names(chain().after([node("a", 2.0), chosen]).ranked()) == ["chosen", "a"]
    assert names(chain().after([replace(node("b", 1.2, decision=True), is_submitted=True), node("a", 2.0)]).ranked()) == ["b", "a"]


def test_what_must_be_decided_on_first_comes_last() -> None:
    frontier = chain().after([node("halves", 9.0, decision=True), node("vector", 1.5, deferred=True)])
    assert names(frontier.nodes) == ["vector"] and names(frontier.ranked()) == ["vector", "halves"]
