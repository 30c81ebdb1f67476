"""Disassembly becomes instructions with the user's lines, blocks, loops and guards."""

from __future__ import annotations

from collections.abc import Callable

from assistant.build.cfg import control_flow
from assistant.build.induction import Update, control_updates, is_unrolled_by
from assistant.build.sass import parse_sass
from assistant.build.sites import access_width_bytes, machine_sites, obstacles
from assistant.model.build import KernelCode
from assistant.model.source import SourceLoop

Listing = Callable[[str], KernelCode]

NVDISASM = """\
	.target	sm_90
.text._Z1kPf:
	//## File "/toolkit/bin/../include/sm_30_intrinsics.hpp", line 397 inlined at "/p/k.cu", line 27
	//## File "/p/k.cu", line 27 inlined at "/p/k.cu", line 34
	//## File "/p/k.cu", line 34
        /*0000*/              @!P0 LDG.E.128 R4, desc[UR6][R2.64] ;
.L_x_1:
	//## File "/toolkit/include/other.hpp", line 5
        /*0010*/                   BRA `(.L_x_1);
"""

LOOP = """
8          ISETP.GE.AND P0, PT, R0, UR4, PT
8          @P0 BRA `(.L_x_2)
9  .L_x_1: LDG.E R3, desc[UR6][R2.64]
9          @!P2 LDG.E R5, desc[UR6][R2.64+0x4]
8          IADD3 R4, R4, -0x4, RZ
8          ISETP.NE.AND P1, PT, R4, RZ, PT
8          @P1 BRA `(.L_x_1)
11 .L_x_2: STG.E desc[UR6][R8.64], R3
12         EXIT
"""


def for_loop(step: int | None = 1, shift: int | None = None) -> SourceLoop:
    return SourceLoop("/p/k.cu", 8, 10, 8, step, shift, is_unroll_requested=False, has_jump=False)


def test_a_toolkit_function_is_booked_on_the_innermost_user_line() -> None:
    (code,) = parse_sass(NVDISASM, {"_Z1kPf": "k(float*)"}, ("/toolkit",))
    first, second = code.instructions
    assert (first.file, first.line, first.predicate, first.opcode) == ("/p/k.cu", 27, "@!P0", "LDG.E.128")
    assert (second.file, second.line) == ("", 0)
    assert (code.kernel, code.architecture, code.labels) == ("k(float*)", "sm_90", ((".L_x_1", 16),))


def test_widths_are_read_from_modifiers() -> None:
    opcodes = ["LDG.E", "LDG.E.128.CONSTANT", "STS.U8", "LDG.E.U16", "ATOMS.POPC.INC.32", "REDG.E.ADD.F64.RN.STRONG.GPU"]
    assert [access_width_bytes(opcode) for opcode in opcodes] == [4, 16, 1, 2, 4, 8]


def test_a_loop_is_found_with_its_guard(listing: Listing) -> None:
    graph = control_flow(listing(LOOP))
    (loop,) = graph.loops
    body = graph.block_at(0x20)
    assert loop.blocks == {body}
    assert graph.guards(body) == (0, body)
    assert graph.guards(graph.block_at(0x70)) == ()


def test_accesses_under_a_predicate_are_a_region_of_their_own(listing: Listing) -> None:
    code = listing(LOOP)
    sites = machine_sites(code, control_flow(code))
    assert [(s.key.line, s.key.op, s.region.predicate) for s in sites] == [
        (9, "global load", ""),
        (9, "global load", "@!P2"),
        (11, "global store", ""),
    ]


def test_a_redefined_predicate_starts_a_new_region(listing: Listing) -> None:
    code = listing("""
5 @P0 LDG.E R3, desc[UR6][R2.64]
5 ISETP.NE.AND P0, PT, R4, RZ, PT
5 @P0 LDG.E R3, desc[UR6][R2.64]
6 EXIT
""")
    first, second = machine_sites(code, control_flow(code))
    assert first.region != second.region


def test_the_control_register_shows_how_far_a_loop_is_unrolled(listing: Listing) -> None:
    graph = control_flow(listing(LOOP))
    (loop,) = graph.loops
    assert control_updates(graph, loop) == {"R4": Update("constant", 4)}
    assert is_unrolled_by(graph, loop, 4, for_loop(step=1))
    assert is_unrolled_by(graph, loop, 1, for_loop(step=4))
    assert not is_unrolled_by(graph, loop, 1, for_loop(step=1))
    assert not is_unrolled_by(graph, loop, 4, for_loop(step=None))


def test_a_sum_of_the_control_register_may_be_tested(listing: Listing) -> None:
    graph = control_flow(
        listing("""
9  .L_x_1: LDG.E R3, desc[UR6][R2.64]
8          VIADD R15, R15, 0x4
8          IADD3 R16, R18, R15, RZ
8          ISETP.NE.AND P1, PT, R16, RZ, PT
8          @P1 BRA `(.L_x_1)
12         EXIT
""")
    )
    assert is_unrolled_by(graph, graph.loops[0], 4, for_loop())


def test_a_scaled_variable_is_followed_through_its_copy(listing: Listing) -> None:
    graph = control_flow(
        listing("""
9  .L_x_1: USHF.L.U32 UR6, UR5, 0x1, URZ
9          UMOV UR5, UR6
8          ISETP.LE.U32.AND P1, PT, R4, UR6, PT
8          @!P1 BRA `(.L_x_1)
12         EXIT
""")
    )
    assert is_unrolled_by(graph, graph.loops[0], 1, for_loop(step=None, shift=1))
    assert not is_unrolled_by(graph, graph.loops[0], 1, for_loop(step=None, shift=2))


def test_a_jump_into_the_middle_of_a_cycle_makes_loops_meaningless(listing: Listing) -> None:
    graph = control_flow(
        listing("""
5          @P0 BRA `(.L_x_2)
6  .L_x_1: IADD3 R0, R0, 0x1, RZ
7  .L_x_2: @P1 BRA `(.L_x_1)
8          EXIT
""")
    )
    assert not graph.is_reducible


def test_code_after_an_early_exit_is_guarded(listing: Listing) -> None:
    graph = control_flow(
        listing("""
5 @P0 EXIT
6 STG.E desc[UR6][R8.64], R3
7 EXIT
""")
    )
    assert graph.guards(graph.block_at(0x10)) == (0,)


def test_generic_and_colliding_accesses_are_obstacles(listing: Listing) -> None:
    code = listing("""
5 LD.E R3, desc[UR6][R2.64]
6 ATOMS.CAST.SPIN R3, [R2], R4, R5
7 ATOMS.EXCH R3, [R2], R4
8 ATOMS.POPC.INC.32 RZ, [R2]
8 ATOMS.MAX.S32 RZ, [R2], R4
9 EXIT
""")
    assert sorted(line for _, line, _ in obstacles(code, control_flow(code))) == [5, 6, 7]
