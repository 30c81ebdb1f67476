"""Of a line with several accesses the one that costs most is named, where the text says what was counted."""

from __future__ import annotations

from dataclasses import replace

from assistant.profile import AccessCost, LineFacts, SourceFacts

WARPS = 4096 * 8


def test_of_accesses_of_a_line_that_cost_differently_the_worst_is_named(access, profile, check):
    """Three loads of a line, of which one goes down a column: 13.3 sectors on average are of none of them."""
    costs = tuple(AccessCost(7, text, False, sectors, 4) for text, sectors in (("a[i]", 4), ("b[i]", 4), ("c[x * n + y]", 32)))
    store = AccessCost(7, "out[i]", True, 4, 4)
    load = access("global load", WARPS * 3, 7, sectors=WARPS * 40, ideal=WARPS * 12)
    facts = SourceFacts(lines=(LineFacts(7),), kernel_line=3, costs=(*costs, store))
    message = check(profile(load), facts=facts).findings[0].message
    assert "4 would do: c[x * n + y] is the worst of its 3 loads, 32 where 4 would do; the addresses" in message
    two = replace(facts, costs=costs[1:])
    scattered = check(profile(access("global load", WARPS * 2, 7, sectors=WARPS * 36, ideal=WARPS * 8)), facts=two).one("KO101")
    assert "of its 2 loads, 32 where 4 would do; the threads of a warp read addresses far apart" in scattered.message
    short = access("global load", WARPS * 3, 7, sectors=WARPS * 16, ideal=WARPS * 12)
    worst = (AccessCost(7, "b[2 * i]", False, 8, 4), *costs[:2])
    partly = check(profile(short), facts=replace(facts, costs=worst)).one("KO102").message
    assert "b[2 * i] is the worst of its 3 loads, 8 where 4 would do; the addresses of a warp's threads lie apart" in partly
    assert "is the worst" not in check(profile(short), facts=facts).one("KO102").message, "the text says otherwise than the counts"
    alike = replace(facts, costs=tuple(replace(cost, sectors=32) for cost in costs))
    all_bad = access("global load", WARPS * 3, 7, sectors=WARPS * 96, ideal=WARPS * 12)
    assert "is the worst" not in check(profile(all_bad), facts=alike).findings[0].message


def test_lanes_that_a_loops_last_iteration_switched_off_hide_no_worst_access(access, profile, check):
    costs = (AccessCost(7, "b[i]", False, 4, 4), AccessCost(7, "c[x * n + y]", False, 32, 4))
    two = SourceFacts(lines=(LineFacts(7),), kernel_line=3, costs=costs)
    lanes_off = access("global load", WARPS * 2, 7, sectors=WARPS * 32, ideal=WARPS * 8)
    fewer = replace(lanes_off, active_threads=26 * lanes_off.requests)
    assert "is the worst" in check(profile(fewer), facts=two).findings[0].message, "a loop's last iteration has idle lanes"
    assert "is the worst" not in check(profile(lanes_off), facts=two).findings[0].message
