"""Labels that machine code shows and the source does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.build import KernelCode, SassInstruction
from assistant.model.verification import Label
from assistant.verify.labels import VersionFacts, detect_labels
from tests.unit.verify.test_labels import TEXT, version


@pytest.mark.parametrize("opcode", ["HGMMA.64x8x16.F32", "UTMALDG.2D", "UCGABAR_ARV"])
def test_machine_code_of_one_architecture_is_labelled(opcode: str) -> None:
    found = detect_labels(version(TEXT, ("FADD",)), version(TEXT, ("FADD", opcode)))
    assert Label.ARCH_LOCK_IN in {each.label for each in found}


@pytest.mark.parametrize(
    ("opcode", "label"),
    [
        ("HFMA2.MMA", Label.PRECISION),
        ("F2FP.F16.F32.PACK_AB", Label.PRECISION),
        ("MUFU.EX2", Label.FAST_MATH),
        ("LDG.E.128.CONSTANT", Label.ALIGNMENT),
        ("STG.E.128", Label.ALIGNMENT),
        ("FMUL.FTZ", Label.FAST_MATH),
        ("RED.E.ADD.F32.FTZ.RN.STRONG.GPU", Label.NON_DETERMINISM),
    ],
)
def test_machine_code_shows_what_the_source_hides(opcode: str, label: Label) -> None:
    (found,) = detect_labels(version(TEXT, ("LDG.E", "FADD")), version(TEXT, ("LDG.E", "FADD", opcode)))
    assert found.label is label and found.line == 3 and opcode in found.message


@pytest.mark.parametrize(("opcode", "is_labelled"), [("FFMA", True), ("DFMA", False), ("DMMA.16x8x4", False)])
def test_sums_that_tensor_cores_take_in_double_are_no_less_precise(opcode: str, is_labelled: bool) -> None:
    found = detect_labels(version(TEXT, ("DADD",)), version(TEXT, (opcode,)))
    assert (Label.PRECISION in {each.label for each in found}) is is_labelled


@pytest.mark.parametrize(
    ("routine", "is_labelled"), [("$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath", False), ("$_Z5helperf", True)]
)
def test_the_routine_of_a_division_flushes_nothing_of_the_kernel_s(routine: str, is_labelled: bool) -> None:
    instructions = (SassInstruction(0, "", "FADD", "", "k.cu", 1), SassInstruction(16, "", "FADD.FTZ", "R2, R0, R3", "k.cu", 3))
    after = replace(version(TEXT), code=(KernelCode("k", "k", "sm_90", instructions, ((routine, 16),)),))
    assert bool(detect_labels(version(TEXT, ("FADD",)), after)) == is_labelled
    assert bool(detect_labels(after, version(TEXT, ("FADD", "FADD.FTZ")))) != is_labelled, "a division of the original's hides no flush"


@pytest.mark.parametrize(("operands", "is_labelled"), [("R2, -R2, -RZ", False), ("R2, R0, R3", True), ("R2, -R2, R3", True)])
def test_a_reciprocal_that_negates_its_remainder_flushes_nothing(operands: str, is_labelled: bool) -> None:
    found = detect_labels(version(TEXT, ("LDG.E",)), _with_instruction("FADD.FTZ", operands))
    assert bool(found) is is_labelled


def _with_instruction(opcode: str, operands: str) -> VersionFacts:
    instructions = (SassInstruction(0, "", "LDG.E", "", "k.cu", 1), SassInstruction(16, "", opcode, operands, "k.cu", 3))
    return replace(version(TEXT), code=(KernelCode("k", "k", "sm_90", instructions, ()),))


@pytest.mark.parametrize(
    ("opcode", "operands"),
    [
        ("HFMA2.MMA", "R5, -RZ, RZ, 1.875, 0"),
        ("HFMA2", "R5, -RZ, RZ, 0, 5.9604644775390625e-08"),
        ("HFMA2", "R5, -RZ.H0_H0, RZ.H0_H0, 0, 0"),
        ("HADD2", "R5, -RZ, RZ"),
        ("HADD2", "R5, -RZ, 1.875, 0"),
    ],
)
def test_a_constant_moved_by_the_half_precision_unit_is_no_computation(opcode: str, operands: str) -> None:
    assert detect_labels(version(TEXT, ("LDG.E",)), _with_instruction(opcode, operands)) == ()


def test_a_moved_constant_in_the_original_excuses_no_half_precision_arithmetic() -> None:
    moves, computes = _with_instruction("HFMA2", "R5, -RZ, RZ, 0, 0"), _with_instruction("HFMA2", "R5, R2, R3, R4")
    (found,) = detect_labels(moves, computes)
    assert found.label is Label.PRECISION


@pytest.mark.parametrize(("opcode", "operands"), [("HFMA2", "R5, -RZ, R3, 0, 0"), ("HADD2.F32", "R5, -RZ, R4.H0_H0")])
def test_a_half_precision_operand_is_a_computation(opcode: str, operands: str) -> None:
    (found,) = detect_labels(version(TEXT, ("LDG.E",)), _with_instruction(opcode, operands))
    assert found.label is Label.PRECISION


@pytest.mark.parametrize(("opcodes", "is_labelled"), [(("I2F.F64.S64", "DMUL"), False), (("I2F.F64.S64", "DMUL", "DMUL"), True)])
def test_what_a_float_s_sine_does_of_huge_angles_in_double_may_vanish(opcodes: tuple[str, ...], is_labelled: bool) -> None:
    found = detect_labels(version(TEXT, ("FADD", *opcodes)), version(TEXT, ("FADD",)))
    assert (Label.PRECISION in {each.label for each in found}) is is_labelled


def test_an_exponential_is_not_fast_math_where_the_text_calls_it() -> None:
    after = replace(version(TEXT, ("FADD", "MUFU.EX2")), parsed=version(TEXT.replace("// here", "v = exp10f(v);")).parsed)
    assert Label.FAST_MATH not in {each.label for each in detect_labels(version(TEXT, ("FADD",)), after)}


def test_vanished_double_instructions_are_lower_precision() -> None:
    (found,) = detect_labels(version(TEXT, ("DFMA",)), version(TEXT, ("FFMA",)))
    assert found.label is Label.PRECISION
