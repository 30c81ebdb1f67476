"""Where the order of threads decides a result, read off text and machine code."""

from __future__ import annotations

import pytest

from assistant.model.build import KernelCode, SassInstruction
from assistant.verify.ordering import NO_ORDER, OrderFacts, new_float_sum, order_facts

KERNEL = "__global__ void k(float *out, double *total, int *count, const float *x, T *any) {{ int i = threadIdx.x; {} }}"


def facts(line: str, *opcodes: str) -> OrderFacts:
    instructions = tuple(SassInstruction(16 * at, "", opcode, "", "k.cu", 7) for at, opcode in enumerate(opcodes))
    return order_facts(KERNEL.format(line), (KernelCode("k", "_Z1k", "sm_90", instructions, ()),) if opcodes else ())


@pytest.mark.parametrize(
    "line",
    [
        "atomicAdd(out, x[i]);",
        "atomicAdd(&out[i % 3], x[i]);",
        "atomicAdd((double *)total, 1.0);",
        "atomicSub(&total[0], 2.0);",
        "if (i) atomicAdd(out + i, x[i]);",
        "cuda::atomic_ref<float> sum(out[0]); sum.fetch_add(x[i]);",
        "atomicAdd_block(&out[0], x[i]);",
    ],
)
def test_a_float_that_is_added_atomically_is_a_sum_whose_rounding_varies(line: str) -> None:
    assert facts(line).float_sums and not facts(line).arrivals


@pytest.mark.parametrize("line", ["atomicAdd(count, 1);", "atomicMax(&count[i], 3);", "if (i) atomicAdd(count + 1, 2);", "out[i] = x[i];"])
def test_integers_that_are_only_combined_come_out_the_same_in_any_order(line: str) -> None:
    assert facts(line) == NO_ORDER


@pytest.mark.parametrize(
    "line",
    [
        "int at = atomicAdd(count, 1); out[at] = x[i];",
        "out[atomicAdd(&count[0], 1)] = x[i];",
        "if (atomicInc(count, 7u) == 7u) out[0] = 1;",
        "atomicExch(count, i);",
        "while (atomicCAS(count, 0, 1)) {}",
        "cuda::atomic_ref<int> ref(count[0]); int at = ref.fetch_add(1);",
    ],
)
def test_a_place_that_depends_on_who_comes_first_is_an_arrival(line: str) -> None:
    assert facts(line).arrivals and not facts(line).float_sums


def test_a_template_may_stand_for_floats() -> None:
    text = "template <class T> __global__ void k(T *sum, const T *x) { atomicAdd(sum, x[threadIdx.x]); }"
    assert order_facts(text, ()).float_sums


@pytest.mark.parametrize("opcode", ["RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "ATOMG.E.ADD.F64.RN.STRONG.GPU", "RED.E.ADD.F16x2.RN.STRONG.GPU"])
def test_machine_code_shows_a_sum_that_the_text_hides(opcode: str) -> None:
    (found,) = facts("ADD_ALL;", opcode).float_sums
    assert opcode in found.text and found.line == 7
    assert facts("ADD_ALL;", "RED.E.ADD.STRONG.GPU") == NO_ORDER


def test_only_a_version_that_begins_to_add_floats_atomically_shows_a_new_sum() -> None:
    plain, summed, hidden = facts("out[i] = 1;"), facts("atomicAdd(out, x[i]);"), facts("SUM;", "RED.E.ADD.F32.FTZ.RN")
    found = new_float_sum(plain, summed)
    assert found is not None and (found.text, found.line) == ("atomicAdd on out", 1)
    assert new_float_sum(hidden, summed) is None, "the text of one and the machine code of the other show the same"
    assert new_float_sum(summed, hidden) is None
