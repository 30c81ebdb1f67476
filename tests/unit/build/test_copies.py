"""What counting copies and barriers proves, what it does not, and what is only booked or merged; on short listings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.build.grading import GradingInput, corrections, grade
from assistant.model.build import KernelCode
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import AccessSite, Correction, Grade, LaunchProfile, LineAccess, LineExecution, Method
from assistant.model.source import SourceLoop

Listing = Callable[[str], KernelCode]
FILE = "/p/k.cu"
BLOCKS, WARPS = 4, 2
EVERY = (64 * BLOCKS, WARPS * BLOCKS)
"""Threads and warps of the launch."""

RAGGED = """
6 IMAD R0, R1, R2, R3
8 @!P0 LDG.E R4, desc[UR4][R6.64]
8 ISETP.GE.AND P1, PT, R0, UR5, PT
8 @!P1 LDG.E R5, desc[UR4][R6.64+0x800]
9 EXIT
"""
HALVED = """
7          MOV R2, R1
8  .L_x_1: ISETP.GE.AND P1, PT, R3, R2, PT
9          @!P1 LDS R4, [R9]
10         BAR.SYNC.DEFER_BLOCKING 0x0
11         LEA.HI R2, R2, R2, RZ, 0x1
7          ISETP.GT.U32.AND P1, PT, R7, 0x2, PT
7          @P1 BRA `(.L_x_1)
12         EXIT
"""
MIDWAY = """
6          MOV R7, RZ
8  .L_x_1: ISETP.NE.AND P1, PT, R7, 0x14, PT
8          LDG.E R2, desc[UR6][R4.64]
9          @!P0 LDG.E R3, desc[UR6][R8.64]
7          @!P1 EXIT
8          LDG.E R2, desc[UR6][R4.64+0x4]
9          @!P0 LDG.E R3, desc[UR6][R8.64+0x4]
7          VIADD R7, R7, 0x2
9          BRA `(.L_x_1)
"""
FLAG = """
5 LDG.E R0, desc[UR4][R2.64]
5 ISETP.NE.AND P0, PT, R0, RZ, PT
6 @P0 STG.E desc[UR4][R4.64], R1
7 EXIT
"""


def loop(first: int, last: int, step: int | None = None, has_jump: bool = False) -> SourceLoop:
    return SourceLoop(FILE, first, last, first, step, None, is_unroll_requested=False, has_jump=has_jump)


def site(line: int, op: str, threads: int, warps: int, address: int, is_unordered: bool = False) -> AccessSite:
    return AccessSite(FILE, line, op, 4, warps, threads, is_unordered, address, units=warps, ideal_units=warps, tags=warps)


def profile(sites: tuple[AccessSite, ...], ran: dict[int, tuple[int, int]]) -> LaunchProfile:
    """``ran``: line → (threads, warps)."""
    lines = sorted({(s.line, s.op) for s in sites})
    return LaunchProfile(
        index=0,
        kernel="k()",
        config=LaunchConfig(Dim3(BLOCKS), Dim3(32 * WARPS)),
        method=Method.EMULATOR,
        device="test",
        blocks_counted=BLOCKS,
        accesses=tuple(LineAccess(FILE, line, op, 4, 1, 1, 1, 1, None, None, Grade.ESTIMATED) for line, op in lines),
        executions=tuple(LineExecution(FILE, line, warps, threads, 0) for line, (threads, warps) in ran.items()),
        instructions=(),
        unique_sectors=None,
        block_unique_sectors=None,
        problems=(),
        sites=sites,
    )


def request(code: KernelCode, launch: LaunchProfile, *loops: SourceLoop, used: tuple[Correction, ...] = ()) -> GradingInput:
    return GradingInput(launch, code, loops, (4, 20), used)


def reasons(found: GradingInput) -> dict[tuple[int, str], str]:
    return {(a.line, a.op): a.grade_reason for a in grade(found)}


def ragged(copies: str, ran: dict[int, tuple[int, int]], listing: Listing) -> str:
    launch = profile((site(8, "global load", 400, 16, 1),), ran)
    return reasons(request(listing(copies), launch, loop(7, 8)))[8, "global load"]


def test_a_wholly_unrolled_loop_has_a_copy_for_each_iteration(listing: Listing) -> None:
    twice = (2 * EVERY[0], 2 * EVERY[1])
    assert ragged(RAGGED, {6: EVERY, 8: twice}, listing) == ""


def test_a_copy_less_than_iterations_was_merged(listing: Listing) -> None:
    one = "\n".join(row for row in RAGGED.splitlines() if "@!P1" not in row)
    twice = (2 * EVERY[0], 2 * EVERY[1])
    assert ragged(one, {6: EVERY, 8: twice}, listing)
    assert ragged(RAGGED, {6: EVERY, 8: (4 * EVERY[0], 4 * EVERY[1])}, listing)


def test_copies_under_one_condition_show_that_not_everyone_entered_the_loop(listing: Listing) -> None:
    same = RAGGED.replace("@!P1 LDG", "@!P0 LDG")
    half = (EVERY[0] // 2, EVERY[1] // 2)
    launch = profile((site(8, "global load", *EVERY, 1),), {8: (2 * EVERY[0], 2 * EVERY[1])})
    assert reasons(request(listing(same), launch, loop(7, 8)))[8, "global load"]
    inside = profile((site(8, "global load", *EVERY, 1),), {6: half, 8: EVERY})
    assert reasons(request(listing(same), inside, loop(7, 8)))[8, "global load"] == ""


def test_a_barrier_in_the_pass_counts_its_iterations(listing: Listing) -> None:
    launch = profile((site(9, "shared load", 300, 12, 1),), {7: EVERY, 10: (4 * EVERY[0], 4 * EVERY[1])})
    halving = loop(7, 11)
    assert reasons(request(listing(HALVED), launch, halving))[9, "shared load"] == ""
    without = "\n".join(row for row in HALVED.splitlines() if "BAR" not in row)
    assert reasons(request(listing(without), launch, halving))[9, "shared load"]


def test_an_unrolled_loop_may_end_between_two_copies(listing: Listing) -> None:
    rounds = (21 * EVERY[0], 21 * EVERY[1])
    sites = (site(8, "global load", *rounds, 1), site(9, "global load", 2000, 168, 2))
    counted = loop(7, 9, step=1)
    assert set(reasons(request(listing(MIDWAY), profile(sites, {8: rounds}), counted)).values()) == {""}
    further = MIDWAY.replace("VIADD R7, R7, 0x2", "VIADD R7, R7, 0x4")
    assert all(reasons(request(listing(further), profile(sites, {8: rounds}), counted)).values())


def test_stores_may_race_where_nothing_reads_what_they_leave(listing: Listing) -> None:
    read = site(5, "global load", *EVERY, 1)
    raced = site(6, "global store", 70, 8, 2, is_unordered=True)
    ran = {5: EVERY, 6: (70, 8)}
    assert reasons(request(listing(FLAG), profile((read, raced), ran)))[6, "global store"] == ""
    ordered = FLAG.replace("7 EXIT", "7 BAR.SYNC.DEFER_BLOCKING 0x0\n8 EXIT")
    assert "race" in reasons(request(listing(ordered), profile((read, raced), ran)))[6, "global store"]
    also_read = site(5, "global load", *EVERY, 1, is_unordered=True)
    assert "race" in reasons(request(listing(FLAG), profile((also_read, raced), ran)))[6, "global store"]


def test_a_kind_that_is_unaccounted_for_needs_a_witness_of_another(listing: Listing) -> None:
    rows = "6 @P0 LDG.E R0, desc[UR4][R2.64]\n6 @P0 STG.E desc[UR4][R4.64], R1\n7 EXIT"
    lost = site(5, "global load", 30, 4, 1)
    both = (lost, site(6, "global load", 70, 8, 2), site(6, "global store", 70, 8, 3))
    assert reasons(request(listing(rows), profile(both, {})))[6, "global load"] == ""
    alone = "\n".join(row for row in rows.splitlines() if "STG" not in row)
    assert reasons(request(listing(alone), profile(both[:2], {})))[6, "global load"]


def test_all_accesses_of_a_line_in_a_loop_move_to_the_line_that_gained_them(listing: Listing) -> None:
    code = listing(HALVED.replace("9          @!P1 LDS", "11         @!P1 LDS"))
    launch = profile((site(9, "shared load", 300, 12, 1),), {10: (4 * EVERY[0], 4 * EVERY[1])})
    (access,) = grade(request(code, launch, loop(7, 11)))
    assert (access.line, access.grade, access.active_threads) == (11, Grade.ESTIMATED, 300)


def test_two_branches_that_ran_for_everyone_together_are_merged_on_the_machines_line(listing: Listing) -> None:
    code = listing("5 LDG.E R2, desc[UR4][R2.64]\n8 STG.E desc[UR4][R4.64], R1\n9 EXIT")
    sites = (site(5, "global load", *EVERY, 9), site(6, "global store", 200, 8, 1), site(8, "global store", EVERY[0] - 200, 3, 2))
    launch = profile(sites, {})
    (proposed,) = corrections(request(code, launch))
    assert (proposed.addresses, proposed.fused_bytes) == ((1, 2), 0)
    stores = [a for a in grade(request(code, launch, used=(proposed,))) if a.op == "global store"]
    assert [(a.line, a.grade) for a in stores] == [(8, Grade.ESTIMATED)]


def test_a_site_that_may_be_the_merged_one_is_doubtful(listing: Listing) -> None:
    code = listing("6 @P0 LDG.E R2, desc[UR4][R2.64]\n8 LDG.E R1, desc[UR4][R4.64]\n9 EXIT")
    rest = EVERY[0] - 200
    sites = (site(6, "global load", 200, 8, 1), site(6, "global load", 200, 8, 2), site(8, "global load", rest, 3, 3))
    (proposed,) = corrections(request(code, profile(sites, {})))
    assert proposed == Correction((1, 3), 0, alternatives=(2,))
    merged = profile((sites[1], site(8, "global load", *EVERY, 3)), {})
    assert "branches as one" in reasons(request(code, merged, used=(proposed,)))[6, "global load"]


def test_sites_that_fill_part_of_a_wider_access_are_proposed_as_one(listing: Listing) -> None:
    code = listing("6 LDG.E.128 R4, desc[UR4][R2.64]\n9 EXIT")
    sites = tuple(site(6, "global load", *EVERY, address) for address in (1, 2, 3))
    assert corrections(request(code, profile(sites, {}))) == (Correction((1, 2, 3), 16),)


SPLIT = """
6          MOV R7, RZ
7          @!P1 BRA `(.L_x_2)
8  .L_x_1: LDG.E R2, desc[UR6][R4.64]
7          VIADD R8, R8, 0xffffffff
7          ISETP.NE.AND P1, PT, R8, RZ, PT
7          @P1 BRA `(.L_x_1)
7  .L_x_2: @!P2 EXIT
8  .L_x_3: LDG.E R2, desc[UR6][R4.64]
8          LDG.E R2, desc[UR6][R4.64+0x4]
8          LDG.E R2, desc[UR6][R4.64+0x8]
8          LDG.E R2, desc[UR6][R4.64+0xc]
7          IADD3 R0, R5, R0, R5
7          IADD3 R0, R5, R0, R5
7          ISETP.GE.AND P1, PT, R0, UR5, PT
7          @!P1 BRA `(.L_x_3)
9          EXIT
"""


REMAINDER = SPLIT.replace("VIADD R8, R8, 0xffffffff", "VIADD R8, R8, 0xffffffff\n7 IADD3 R0, R5, R0, RZ")


def strided(listing: Listing, rows: str, ran: tuple[int, int], divergent: int = 0) -> GradingInput:
    launch = profile((site(8, "global load", *ran, 1),), {})
    counted = LineExecution(FILE, 8, ran[1], ran[0], divergent, partings=divergent)
    return request(listing(rows), replace(launch, executions=(counted,)), loop(7, 8))


def test_a_stride_added_for_each_copy_proves_the_main_loop_and_its_remainder(listing: Listing) -> None:
    ran = (5 * EVERY[0], 5 * EVERY[1])
    assert reasons(strided(listing, REMAINDER, ran))[8, "global load"] == ""
    assert reasons(strided(listing, SPLIT, ran))[8, "global load"]
    three_strides = REMAINDER.replace(
        "IADD3 R0, R5, R0, R5\n7          IADD3 R0, R5, R0, R5", "IADD3 R0, R5, R0, R5\n7 IADD3 R0, R5, R0, RZ"
    )
    assert reasons(strided(listing, three_strides, ran))[8, "global load"]


def test_lanes_of_a_warp_that_leave_at_different_times_prove_nothing_wherever_they_were_last_together(listing: Listing) -> None:
    """The even lanes iterate once more than the odd ones: nvcc deals them another first iteration."""
    uneven = strided(listing, REMAINDER, (5 * EVERY[0] - 9, 5 * EVERY[1]), divergent=3)
    (counted,) = uneven.profile.executions
    elsewhere = replace(uneven, profile=replace(uneven.profile, executions=(replace(counted, partings=0),)))
    for graded in (uneven, elsewhere):
        assert reasons(graded)[8, "global load"]


def test_iterations_of_threads_that_leave_at_different_times_are_dealt_to_the_pieces(listing: Listing) -> None:
    uneven = strided(listing, SPLIT, (5 * EVERY[0] - 9, 5 * EVERY[1]), divergent=3)
    (proposed,) = corrections(uneven)
    assert proposed == Correction((1,), 0, pieces=(1, 4))
    assert "different times" in reasons(replace(uneven, corrections=(proposed,)))[8, "global load"]
    assert corrections(strided(listing, SPLIT, (5 * EVERY[0], 5 * EVERY[1]))) == ()
