"""KO113: loads that a loop makes again because a store in it might have changed the element."""

from __future__ import annotations

from dataclasses import replace

from assistant.profile import InvariantLoad, LineFacts, LoopFacts, PointerFacts, SourceFacts

WARPS = 4096 * 8
SCALES = SourceFacts(
    loops=(LoopFacts(8, 10, 1, None),),
    pointers=(
        PointerFacts("b", "float", is_const=True, is_restrict=False, is_written=False),
        PointerFacts("o", "float", is_const=False, is_restrict=False, is_written=True),
    ),
    kernel_line=3,
)


def test_loads_that_short_loops_inside_choose_are_reported_where_they_repeat_more_often_than_that(access, profile, check):
    """Eight coefficients, kept in registers: eight requests per warp are one round, and no reload."""

    def codes(load_requests):
        """Findings with that many load requests per warp of eight unchanging elements."""
        line = LineFacts(9, invariant_loads=(InvariantLoad("b", 4), InvariantLoad("b", 4)), stored_pointers=("o",))
        accesses = (access("global load", WARPS * load_requests, 9, sectors=WARPS * load_requests * 4),)
        return check(profile(*accesses), facts=replace(SCALES, lines=(line,))).codes

    assert "KO113" not in codes(8)
    assert "KO113" in codes(16)


def test_a_pointer_in_a_structure_is_suspected_without_a_word_of_restrict(access, profile, check):
    line = LineFacts(9, invariant_loads=(InvariantLoad("net.gain"),), stored_pointers=("o",))
    found = check(profile(access("global load", WARPS * 16, 9, sectors=WARPS * 64)), facts=replace(SCALES, lines=(line,)))
    message = found.one("KO113").message
    assert message.startswith("net.gain is loaded again")
    assert "__restrict__" not in message


def test_loads_of_the_line_that_the_loop_changes_are_not_counted_as_repeated(access, profile, check):
    line = LineFacts(9, invariant_loads=(InvariantLoad("b"),), stored_pointers=("o",), varying_load_count=3)
    found = check(profile(access("global load", WARPS * 64, 9, sectors=WARPS * 256)), facts=replace(SCALES, lines=(line,)))
    assert found.one("KO113").message.startswith("b is loaded again in each iteration (16 of 64 requests per warp) though")
