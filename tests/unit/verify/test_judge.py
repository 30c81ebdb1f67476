"""The verdict, on kernels written as NumPy functions: right edits pass, wrong ones are named, weak tests refuse to judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from assistant.model.profile import Problem
from assistant.model.verification import CannotJudge, Label, Outcome, Unjudgeable, Verification, VerificationFinding
from assistant.model.workload import AutoTolerance, CaseOrigin, FixedTolerance
from assistant.verify.compare import need_tolerance, own_error
from assistant.verify.evidence import BufferFacts, CaseEvidence, DetectedLabel, JudgeEvidence, ProgramVerdict, Reference, SideRun
from assistant.verify.judge import judge
from assistant.verify.lines import LinePairs, Text
from assistant.verify.ordering import NO_ORDER, OrderFacts
from assistant.verify.outputs import has_small_output
from assistant.verify.problems import ASSUMPTIONS, WEIGHTS, Weight
from assistant.verify.text import Match

N = 512
Buffers = dict[str, np.ndarray]
Kernel = Callable[[Buffers], None]
FILLS = (0xAB, 0x54)


def scale_add(b: Buffers) -> None:
    """out[i] = 2 x[i] + y[i], all but the last element."""
    b["out"][: N - 1] = (b["x"] * np.float32(2) + b["y"])[: N - 1]


def inputs(seed: int) -> Buffers:
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(N).astype(np.float32) for name in ("x", "y")}


def side(kernel: Kernel, buffers: Buffers, out: np.ndarray, fill: int, **extra: object) -> SideRun:
    memory = {name: values.copy() for name, values in buffers.items()}
    memory["out"] = np.frombuffer(bytes([fill]) * out.nbytes, out.dtype).copy()
    kernel(memory)
    after = tuple((number, values.tobytes()) for number, values in enumerate(memory.values()))
    return SideRun(after, fill=fill, **extra)  # type: ignore[arg-type]


def case(
    original: Kernel,
    candidate: Kernel,
    *,
    seed: int = 1,
    kind: str = "recorded",
    out: np.ndarray | None = None,
    buffers: Buffers | None = None,
    truth: Callable[[Buffers], np.ndarray] | None = None,
) -> CaseEvidence:
    """One case with a poisoned ``out`` run with two fills; ``truth`` gives float64 values of ``out``."""
    buffers = inputs(seed) if buffers is None else buffers
    out = np.zeros(N, np.float32) if out is None else out
    types = {"float32": "float", "int32": "int", "float64": "double", "float16": "half"}
    facts = [BufferFacts(i, name, types[str(v.dtype)], v.tobytes()) for i, (name, v) in enumerate(buffers.items())]
    facts.append(BufferFacts(len(buffers), "out", types[str(out.dtype)], bytes(out.nbytes), is_poisoned=True))
    reference = () if truth is None else ((len(buffers), truth({n: v.astype(np.float64) for n, v in buffers.items()}).tobytes()),)
    return CaseEvidence(
        origin=CaseOrigin(kind, f"n={N}", seed, 1.0, 1.0 if kind == "recorded" else 0.0),
        kernel="k",
        buffers=tuple(facts),
        original=tuple(side(original, buffers, out, fill) for fill in FILLS),
        candidate=tuple(side(candidate, buffers, out, fill) for fill in FILLS),
        reference=reference,
    )


def truth(b: Buffers) -> np.ndarray:
    return b["x"] * 2 + b["y"]


def verdict(original: Kernel, candidate: Kernel, **extra: object) -> Verification:
    result = judge(evidence(original, candidate, **extra))
    assert isinstance(result, Verification), result
    return result


def evidence(original: Kernel, candidate: Kernel, **extra: object) -> JudgeEvidence:
    cases = tuple(case(original, candidate, seed=seed, kind="recorded" if seed == 1 else "resampled", truth=truth) for seed in (1, 2, 3))
    return replace(JudgeEvidence(cases, AutoTolerance()), **extra)  # type: ignore[arg-type]


def codes(result: Verification) -> set[str]:
    return {finding.code for finding in result.findings}


def test_the_same_kernel_passes() -> None:
    result = verdict(scale_add, scale_add)
    assert result.outcome is Outcome.PASS and result.findings == () and result.labels == ()
    assert [c.kind for c in result.cases] == ["recorded", "resampled", "resampled"] and result.oracle == "kernel"


def test_another_rounding_passes_and_is_labelled_as_reassociation() -> None:
    def fused(b: Buffers) -> None:
        exact = b["x"].astype(np.float64) * 2 + b["y"]
        b["out"][: N - 1] = (exact + exact * 2.0**-24 * np.sign(b["x"])).astype(np.float32)[: N - 1]

    result = verdict(scale_add, fused)
    assert result.outcome is Outcome.PASS and result.labels == (Label.REASSOCIATION,)
    assert (result.cases[0].max_error or 0) > 0


def test_numbers_that_a_kernel_is_passed_are_inputs_too() -> None:
    def ramp(scale: float) -> Kernel:
        return lambda b: b["out"].__setitem__(slice(None), np.arange(N) * np.float32(scale))

    def judged(*scales: float) -> object:
        made = (case(ramp(scale), ramp(scale), kind="recorded" if at == 0 else "repassed") for at, scale in enumerate(scales))
        return judge(JudgeEvidence(tuple(replace(one, passed=(str(at),)) for at, one in enumerate(made)), AutoTolerance()))

    result, blind = judged(1.0, 1.5), judged(1.0, 1.0)
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert isinstance(blind, CannotJudge) and blind.code is Unjudgeable.WEAK_WORKLOAD


@pytest.mark.parametrize(("scales", "is_judged"), [((1.0, 1.0), False), ((1.0, 1.5), True)])
def test_launches_of_two_seeds_judge_what_reads_no_data(scales: tuple[float, ...], is_judged: bool) -> None:
    """The draws change only what stood in the results' memory before."""

    def ramp(scale: float) -> Kernel:
        return lambda b: b["out"].__setitem__(slice(None), np.arange(N) * np.float32(scale))

    def launched(at: int, kind: str) -> CaseEvidence:
        made = case(ramp(scales[at]), ramp(scales[at]), kind=kind, seed=7 * at + len(kind))
        return replace(made, passed=(str(at),), origin=replace(made.origin, shape=f"seed={at}"))

    result = judge(JudgeEvidence(tuple(launched(at, kind) for at in (0, 1) for kind in ("recorded", "dense")), AutoTolerance()))
    assert isinstance(result, Verification) == is_judged, result


def test_the_original_s_own_error_is_reported_where_its_float64_values_are_believed() -> None:
    def rough(b: Buffers) -> None:
        scale_add(b)
        b["out"][: N - 1] *= np.float32(1 + 1e-4)

    for kernel, least, most in ((scale_add, 1e-9, 1e-7), (rough, 0.9e-4, 1.1e-4)):
        assert least < own_error((case(kernel, kernel, truth=truth),), (), AutoTolerance()) < most
    assert own_error((case(rough, rough),), (), AutoTolerance()) == 0.0


def test_a_wrong_value_is_shown_with_its_place() -> None:
    def wrong(b: Buffers) -> None:
        scale_add(b)
        b["out"][7] += 1

    (finding,) = verdict(scale_add, wrong).findings
    assert (finding.code, finding.buffer, finding.index, finding.outcome) == ("wrong_value", "out", 7, Outcome.FAIL)
    assert float(finding.actual or "nan") == pytest.approx(float(finding.expected or "nan") + 1, rel=1e-6)
    assert "in 3 cases" in finding.message


def test_a_partial_write_is_found_by_the_poison() -> None:
    def partial(b: Buffers) -> None:
        b["out"][: N // 2] = (b["x"] * np.float32(2) + b["y"])[: N // 2]

    (finding,) = verdict(scale_add, partial).findings
    assert finding.code == "not_written" and finding.index == N // 2


def test_a_write_where_the_original_writes_nothing_is_found() -> None:
    def beyond(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    (finding,) = verdict(scale_add, beyond).findings
    assert finding.code == "wrote_outside_outputs" and finding.index == N - 1


def test_a_modified_input_is_found_though_the_output_is_right() -> None:
    def greedy(b: Buffers) -> None:
        scale_add(b)
        b["x"][3] = 0

    (finding,) = verdict(scale_add, greedy).findings
    assert (finding.code, finding.buffer, finding.index) == ("wrote_outside_outputs", "x", 3)


def test_a_new_nan_fails() -> None:
    def broken(b: Buffers) -> None:
        scale_add(b)
        b["out"][9] = np.nan

    (finding,) = verdict(scale_add, broken).findings
    assert finding.code == "nan_position" and finding.index == 9


def test_a_pole_that_another_precision_meets_on_changed_signs_is_a_decision() -> None:
    """``x / (0.8 + 0.25 * x)``, twice, at -3.2: 4 where the sum is taken in double, NaN where it is 0 in float."""

    def twice(b: Buffers, wide: type[np.floating]) -> None:
        """Two steps of a recurrence, computed in the type ``wide``."""
        x = b["x"]
        with np.errstate(all="ignore"):
            for _ in range(2):
                x = (x / (wide(0.8) + wide(0.25) * x.astype(wide))).astype(np.float32)
        b["out"][: N - 1] = x[: N - 1]

    def in_double(b: Buffers) -> None:
        twice(b, np.float64)

    def in_float(b: Buffers) -> None:
        twice(b, np.float32)

    def of(kind: str, sign: float) -> CaseEvidence:
        buffers = {**inputs(1), "x": np.full(N, sign * 3.2, np.float32)}
        buffers["x"][5:] = np.abs(inputs(1)["x"][5:])
        return case(in_double, in_float, kind=kind, buffers=buffers)

    changed = (DetectedLabel(Label.PRECISION, "literals of float", 4),)
    cases = (of("recorded", 1.0), of("mirrored", -1.0))
    result = verdict_on(JudgeEvidence(cases, AutoTolerance(), labels=changed))
    assert result.outcome is Outcome.NEEDS_DECISION and set(result.labels) >= {Label.PRECISION, Label.NAN_BEHAVIOUR}
    assert verdict_on(JudgeEvidence(cases, AutoTolerance())).outcome is Outcome.FAIL
    assert verdict_on(JudgeEvidence((of("recorded", -1.0),), AutoTolerance(), labels=changed)).outcome is Outcome.FAIL


def half_precision(b: Buffers) -> None:
    b["out"][: N - 1] = (b["x"] + (b["x"] * np.float32(1 + 2.0**-20) + b["y"]))[: N - 1]


def test_lower_precision_fails_unless_it_was_detected_and_then_needs_a_decision() -> None:
    assert verdict(scale_add, half_precision).outcome is Outcome.FAIL
    label = DetectedLabel(Label.PRECISION, "computes with half", 4)
    result = verdict(scale_add, half_precision, labels=(label,))
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.PRECISION,)
    assert codes(result) == {"precision"}


def test_a_fixed_tolerance_replaces_the_automatic_one() -> None:
    result = verdict(scale_add, half_precision, tolerance=FixedTolerance(rtol=1e-3, atol=1e-4))
    assert result.outcome is Outcome.PASS
    assert verdict(scale_add, half_precision, tolerance=FixedTolerance(0.0, 0.0)).outcome is Outcome.FAIL


def test_moved_data_must_be_bitwise_equal() -> None:
    def reverse(b: Buffers) -> None:
        b["out"][:] = b["x"][::-1]

    def nearly(b: Buffers) -> None:
        b["out"][:] = np.nextafter(b["x"][::-1], np.float32(9))

    cases = tuple(case(reverse, nearly, seed=s, truth=lambda b: b["x"][::-1].copy()) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification) and codes(result) == {"wrong_value"}


def test_integers_must_be_equal() -> None:
    def count(b: Buffers) -> None:
        b["out"][:] = (b["x"] > 0).cumsum()

    def off_by_one(b: Buffers) -> None:
        count(b)
        b["out"][-1] += 1

    cases = tuple(case(count, off_by_one, seed=s, out=np.zeros(N, np.int32)) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert finding.index == N - 1 and int(finding.actual or 0) == int(finding.expected or 0) + 1
    assert result.cases[0].max_error is None


def test_without_a_reference_the_spread_of_perturbed_runs_is_the_measure() -> None:
    def total(b: Buffers) -> None:
        b["out"][0] = np.cumsum(b["x"])[-1]

    def pairwise(b: Buffers) -> None:
        b["out"][0] = b["x"].sum()

    out = np.zeros(1, np.float32)
    cases = list[CaseEvidence]()
    for seed in range(1, 6):
        plain = case(total, pairwise, seed=seed, out=out)
        runs = list[SideRun]()
        for shift in range(8):
            signs = np.random.default_rng(shift).choice([-np.inf, np.inf], N).astype(np.float32)
            moved = {name: np.nextafter(values, signs) for name, values in inputs(seed).items()}
            runs.append(side(total, moved, out, FILLS[0]))
        cases.append(replace(plain, perturbed=tuple(runs)))
    result = judge(JudgeEvidence(tuple(cases), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS, result
    assert result.missing_checks == ()
    without = judge(JudgeEvidence(tuple(replace(c, perturbed=()) for c in cases), AutoTolerance()))
    assert isinstance(without, Verification) and "out: no float64 reference" in without.missing_checks[0]


def test_a_sum_that_is_right_by_luck_does_not_condemn_another_order() -> None:
    def lucky(b: Buffers) -> None:
        b["out"][0] = np.float32((b["x"].astype(np.float64) - b["y"]).sum())

    def ordinary(b: Buffers) -> None:
        pairs = np.stack([b["x"], -b["y"]])
        b["out"][0] = np.cumsum(pairs, axis=1)[:, -1].sum()

    out = np.zeros(1, np.float32)
    cases = list[CaseEvidence]()
    for seed in (1, 2, 3):
        x = inputs(seed)["x"]
        buffers = {"x": x, "y": x[::-1] + np.float32(0.001 * seed)}
        plain = case(lucky, ordinary, seed=seed, out=out, buffers=buffers, truth=lambda b: (b["x"] - b["y"]).sum(keepdims=True))
        runs = list[SideRun]()
        for number in range(8):
            signs = np.random.default_rng([seed, number]).choice([-np.inf, np.inf], N).astype(np.float32)
            moved = {name: np.nextafter(values, signs) for name, values in buffers.items()}
            runs.append(side(lucky, moved, out, FILLS[0]))
        cases.append(replace(plain, perturbed=tuple(runs)))
        assert has_small_output(plain.buffers, plain.original)
    result = judge(JudgeEvidence(tuple(cases), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS, result
    without = judge(JudgeEvidence(tuple(replace(c, perturbed=()) for c in cases), AutoTolerance()))
    assert isinstance(without, Verification) and without.outcome is Outcome.FAIL


def test_only_computed_floats_need_a_tolerance() -> None:
    def reversed_(b: Buffers) -> None:
        b["out"][:] = b["x"][::-1]

    def one_sum(b: Buffers) -> None:
        b["out"][:] = b["x"][::-1]
        b["out"][7] = b["x"][:3].sum()

    moved, summed = (case(kernel, kernel) for kernel in (reversed_, one_sum))
    assert need_tolerance((moved, summed), ()) == [True, True], "one kernel's output is judged by one rule"
    assert need_tolerance((moved,), ()) == [False] and need_tolerance((case(scale_add, scale_add),), ()) == [True]
    assert need_tolerance((moved, replace(summed, kernel="another")), ()) == [False, True]
    assert need_tolerance((replace(moved, original=(SideRun((), error="timed out"),)),), ()) == [False]


def test_what_only_the_kernel_itself_reads_is_for_a_person_to_decide() -> None:
    def with_scratch(value: float) -> Kernel:
        """A kernel that leaves ``value`` times x in the scratch buffer y."""

        def kernel(b: Buffers) -> None:
            b["y"][:] = np.float32(value) * b["x"]
            scale_add({**b, "y": b["x"]})

        return kernel

    def judged(candidate: Kernel, *, is_unread: bool, kind: str = "resampled") -> Verification:
        """The verdict where y is, or is not, read by other kernels."""
        base = evidence(with_scratch(2.0), candidate)
        cases = [replace(c, origin=replace(c.origin, kind=kind if c.origin.kind != "recorded" else "recorded")) for c in base.cases]
        facts = [replace(c, buffers=tuple(replace(b, is_unread=is_unread and b.name == "y") for b in c.buffers)) for c in cases]
        result = judge(replace(base, cases=tuple(replace(c, reference=()) for c in facts)))
        assert isinstance(result, Verification)
        return result

    assert judged(with_scratch(3.0), is_unread=False).outcome is Outcome.FAIL
    left = judged(with_scratch(3.0), is_unread=True)
    assert left.outcome is Outcome.NEEDS_DECISION and codes(left) == {"unread_value"}
    assert judged(with_scratch(3.0), is_unread=True, kind="negative").labels == (), "said once, not by every kind of value"

    def wrong(b: Buffers) -> None:
        with_scratch(2.0)(b)
        b["out"][3] += 1

    assert judged(wrong, is_unread=True).outcome is Outcome.FAIL


def test_threads_that_add_up_into_one_place_may_do_so_in_another_order() -> None:
    exact = 1000.0

    def summed(error: float) -> Kernel:
        return lambda b: b["out"].__setitem__(slice(0, 1), np.float64(exact + error))

    def judged(thread_count: int) -> Outcome:
        one = np.zeros(1, np.float64)
        cases = [case(summed(0.0), summed(2e-11), seed=seed, out=one) for seed in (1, 2)]
        result = judge(JudgeEvidence(tuple(replace(c, buffers=c.buffers[2:], thread_count=thread_count) for c in cases), AutoTolerance()))
        return result.outcome if isinstance(result, Verification) else Outcome.NEEDS_DECISION

    assert judged(100_000) is Outcome.PASS and judged(0) is not Outcome.PASS


def test_a_failing_launch_fails() -> None:
    base = evidence(scale_add, scale_add)
    broken = replace(base.cases[1], candidate=(SideRun((), error="cudaErrorInvalidConfiguration"),))
    result = judge(replace(base, cases=(base.cases[0], broken)))
    assert isinstance(result, Verification) and codes(result) == {"launch_failed"}


@pytest.mark.parametrize(("error", "code"), [("crashed", "crashed"), ("timed out", "timed_out")])
def test_a_crash_and_a_timeout_have_their_own_codes(error: str, code: str) -> None:
    base = evidence(scale_add, scale_add)
    result = judge(replace(base, cases=(replace(base.cases[0], candidate=(SideRun((), error=error),)),)))
    assert isinstance(result, Verification) and codes(result) == {code}


def problem(kind: str, line: int) -> Problem:
    return Problem(kind, f"{kind} on line {line}", "k.cu", line, None, None, None, None, None, 1)


def with_problems(a: tuple[Problem, ...], b: tuple[Problem, ...]) -> JudgeEvidence:
    base = evidence(scale_add, scale_add)
    changed = tuple(
        replace(
            c,
            original=tuple(replace(r, problems=a) for r in c.original),
            candidate=tuple(replace(r, problems=b) for r in c.candidate),
        )
        for c in base.cases
    )
    return replace(base, cases=changed)


def test_a_new_race_fails_with_its_line() -> None:
    result = judge(with_problems((), (problem("shared_race", 12),)))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert (finding.code, finding.line, finding.outcome) == ("race", 12, Outcome.FAIL)


RACY = "__global__ void k() {\n  tile[t] = in[i];\n  tile[t + 1] = in[i + 1];\n  sum += tile[0];\n  out[i] = sum;\n}\n"


def race_verdict(after: str, old: tuple[int, int], new: tuple[int, int], kind: str = "shared_race") -> Verification:
    """A races on the lines ``old`` of RACY, B on the lines ``new`` of ``after``."""
    a, b = (
        replace(problem(kind, first), file=file, other_file=file, other_line=second) for file, (first, second) in (("a", old), ("b", new))
    )
    lines = LinePairs(Text("a", RACY), Text("b", after))
    result = judge(replace(with_problems((a,), (b,)), lines=lines))
    assert isinstance(result, Verification)
    return result


@pytest.mark.parametrize(
    ("after", "new"),
    [
        (RACY, (2, 4)),
        (RACY, (4, 2)),
        ("// a note\n\n" + RACY, (4, 6)),
        (RACY.replace("  tile[t] = in[i];\n", "").replace("  out", "  tile[t] = in[i];  // moved\n  out"), (4, 3)),
        (RACY.replace("tile[t] =", "tile[threadIdx.x] ="), (2, 4)),
    ],
    ids=["untouched", "seen from the other side", "shifted", "moved", "rewritten"],
)
def test_a_race_that_the_original_has_there_too_does_not_count(after: str, new: tuple[int, int]) -> None:
    assert race_verdict(after, (2, 4), new).outcome is Outcome.PASS


def test_one_race_is_not_swapped_for_another() -> None:
    result = race_verdict(RACY, (2, 4), (3, 4))
    (finding,) = result.findings
    assert (finding.code, finding.line, finding.outcome) == ("race", 3, Outcome.FAIL)
    assert "the original has a problem of this kind on line 2, but not here" in finding.message


def test_a_race_that_becomes_only_possible_is_not_new() -> None:
    racy, milder = problem("shared_race", 12), problem("possible_shared_race", 12)
    result = judge(with_problems((racy,), (milder,)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS


def test_a_case_with_a_new_problem_has_not_passed() -> None:
    base = with_problems((), ())
    racy = tuple(replace(run, problems=(problem("shared_race", 12),)) for run in base.cases[1].candidate)
    result = judge(replace(base, cases=(base.cases[0], replace(base.cases[1], candidate=racy), base.cases[2])))
    assert isinstance(result, Verification)
    assert [c.outcome for c in result.cases] == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]


def two_kernels(edited: tuple[str, ...]) -> JudgeEvidence:
    """Kernel k with cases that can judge it, and ``fill``, which writes one constant."""
    strong = evidence(scale_add, scale_add)
    weak = replace(case(lambda b: b["out"].fill(3), lambda b: b["out"].fill(3)), kernel="fill")
    return replace(strong, cases=(*strong.cases, weak), edited=edited)


def test_an_edited_kernel_that_no_case_can_judge_is_not_covered_by_another() -> None:
    result = judge(two_kernels(("fill", "k")))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert (finding.code, finding.kernel, finding.outcome) == ("not_judged", "fill", Outcome.NEEDS_DECISION)
    assert isinstance(judge(two_kernels(("fill",))), CannotJudge)


def test_an_unedited_kernel_that_no_case_can_judge_is_only_noted() -> None:
    result = judge(two_kernels(("k",)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert any("cannot judge fill" in missing for missing in result.missing_checks)


def test_an_edited_kernel_that_no_case_launches_is_named() -> None:
    result = judge(replace(evidence(scale_add, scale_add), edited=("k", "other")))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert (finding.code, finding.kernel) == ("not_judged", "other")


def test_a_kernel_launched_after_another_is_judged_by_that_case() -> None:
    base = evidence(scale_add, scale_add)
    cases = tuple(replace(c, further_kernels=("second",)) for c in base.cases)
    result = judge(replace(base, cases=cases, edited=("second",)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS


def test_a_possible_race_asks_the_human() -> None:
    result = judge(with_problems((), (problem("possible_global_race", 12),)))
    assert isinstance(result, Verification)
    assert (result.outcome, codes(result)) == (Outcome.NEEDS_DECISION, {"possible_race"})


@pytest.mark.parametrize("kind", sorted({*WEIGHTS, "a_kind_of_tomorrow"}))
def test_a_new_problem_weighs_as_the_table_says(kind: str) -> None:
    result = judge(with_problems((), (problem(kind, 12),)))
    assert isinstance(result, Verification)
    weight = WEIGHTS.get(kind, Weight(Outcome.FAIL))
    (finding,) = result.findings
    assert (finding.code, finding.outcome, finding.line) == (weight.code or kind, weight.outcome, 12)
    assert (Label.ASSUMPTION in result.labels) == (kind in ASSUMPTIONS)
    known = judge(with_problems((problem(kind, 12),), (problem(kind, 12),)))
    assert isinstance(known, Verification) and known.outcome is Outcome.PASS and not known.labels


def test_what_a_run_shows_only_possibly_never_fails_an_edit() -> None:
    doubtful = {kind for kind in WEIGHTS if kind.startswith("possible_")} | ASSUMPTIONS
    assert {WEIGHTS[kind].outcome for kind in doubtful} == {Outcome.NEEDS_DECISION}


def test_the_other_end_of_a_problem_is_named() -> None:
    missing = replace(problem("missing_fence", 12), other_file="k.cu", other_line=7)
    result = judge(with_problems((), (missing,)))
    assert isinstance(result, Verification)
    assert result.findings[0].message.startswith("missing_fence on line 12; the other access is on line 7")


def test_what_the_lab_cannot_do_is_no_defect_of_the_kernel() -> None:
    passing = judge(with_problems((), (problem("unsupported", 12),)))
    assert isinstance(passing, Verification) and passing.outcome is Outcome.PASS
    assert passing.missing_checks == ("unsupported on line 12",)
    assert passing.caveats == ("not every check ran to its end",), "the verdict line says so"
    base = evidence(scale_add, scale_add)
    stuck = (SideRun((), error="crashed", problems=(problem("unsupported", 12),)),)
    assert isinstance(judge(replace(base, cases=(replace(base.cases[0], candidate=stuck),))), CannotJudge)


def test_a_damaged_guard_zone_is_out_of_bounds() -> None:
    base = evidence(scale_add, scale_add)
    runs = tuple(replace(run, guards_intact=False) for run in base.cases[0].candidate)
    result = judge(replace(base, cases=(replace(base.cases[0], candidate=runs), base.cases[1])))
    assert isinstance(result, Verification) and codes(result) == {"out_of_bounds"}


def test_a_derived_case_on_which_the_original_fails_is_dropped_and_listed() -> None:
    base = evidence(scale_add, scale_add)
    broken = replace(base.cases[2], original=(SideRun((), error="crashed"),), candidate=(SideRun((), error="crashed"),))
    result = judge(replace(base, cases=(*base.cases[:2], broken)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert len(result.cases) == 2 and "crashed" in result.dropped_cases[0]


def test_an_original_that_fails_on_its_own_values_cannot_be_judged_by() -> None:
    base = evidence(scale_add, scale_add)
    broken = replace(base.cases[0], original=(SideRun((), error="crashed"),))
    assert isinstance(judge(replace(base, cases=(broken, *base.cases[1:]))), CannotJudge)


def test_sums_that_cancel_in_one_order_alone_are_no_write_outside() -> None:
    def scatters(b: Buffers) -> None:
        b["y"][:] += b["x"] * np.float32(3)
        b["out"][:] = b["x"]

    def adding(rest: float) -> Kernel:
        """The scattering kernel with ``rest`` added to one element."""

        def scatters_otherwise(b: Buffers) -> None:
            scatters(b)
            b["y"][7] += np.float32(rest)

        return scatters_otherwise

    given = inputs(1)
    given["x"][7], given["y"][7] = 0.0, 0.5
    for rest, expected in ((6e-8, set[str]()), (0.01, {"wrote_outside_outputs"})):
        judged = judge(
            JudgeEvidence((case(scatters, adding(rest), buffers=given), case(scatters, adding(rest), buffers=given)), AutoTolerance())
        )
        assert isinstance(judged, Verification) and codes(judged) == expected, judged


def test_an_original_that_reads_poison_cannot_be_judged_by() -> None:
    def accumulates(b: Buffers) -> None:
        b["out"] += b["x"]

    def counts(b: Buffers) -> None:
        b["out"] += 1

    assert isinstance(judge(JudgeEvidence((case(counts, counts, out=np.zeros(N, np.int32)),), AutoTolerance())), CannotJudge)
    assert isinstance(judge(JudgeEvidence((case(accumulates, accumulates),), AutoTolerance())), CannotJudge)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda b: None, "changes no memory"),
        (lambda b: b["out"].fill(0), "writes zeros"),
        (lambda b: b["out"].fill(3), "writes one constant"),
        (lambda b: b["out"].__setitem__(slice(None), np.arange(N)), "ignores its input"),
    ],
)
def test_a_workload_on_which_a_trivial_kernel_passes_cannot_judge(kernel: Kernel, words: str) -> None:
    cases = tuple(case(kernel, kernel, seed=s) for s in (1, 2, 3))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, CannotJudge) and result.code is Unjudgeable.WEAK_WORKLOAD and words in result.reason


def test_a_weak_workload_still_shows_that_a_kernel_is_wrong() -> None:
    cases = tuple(case(lambda b: b["out"].fill(3), lambda b: b["out"].fill(4), seed=s) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification) and codes(result) == {"wrong_value"}


def test_a_kernel_that_cannot_be_judged_next_to_one_that_can_is_listed() -> None:
    base = evidence(scale_add, scale_add)
    fill = tuple(replace(case(lambda b: b["out"].fill(3), lambda b: b["out"].fill(3), seed=s), kernel="fill") for s in (1, 2))
    result = judge(replace(base, cases=(*base.cases, *fill)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert "cannot judge fill" in result.missing_checks[0]


def test_an_in_place_update_is_an_ordinary_case() -> None:
    def relu(b: Buffers) -> None:
        np.maximum(b["x"], 0, out=b["x"])
        b["out"][:] = b["y"]

    def wrong(b: Buffers) -> None:
        relu(b)
        b["x"][5] = 1

    cases = tuple(case(relu, relu, seed=s) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    result = judge(JudgeEvidence(tuple(case(relu, wrong, seed=s) for s in (1, 2)), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.FAIL


def test_scratch_is_not_compared() -> None:
    def with_scratch(b: Buffers) -> None:
        scale_add(b)
        b["y"][:] = 7

    base = evidence(scale_add, with_scratch)
    marked = tuple(replace(c, buffers=tuple(replace(f, is_scratch=f.name == "y") for f in c.buffers)) for c in base.cases)
    assert judge(base).outcome is Outcome.FAIL  # type: ignore[union-attr]
    assert judge(replace(base, cases=marked)).outcome is Outcome.PASS  # type: ignore[union-attr]


def test_only_declared_outputs_are_compared() -> None:
    def two(b: Buffers) -> None:
        scale_add(b)
        b["y"][:] = b["x"]

    def one_differs(b: Buffers) -> None:
        two(b)
        b["y"][:] = 1

    assert verdict(two, one_differs).outcome is Outcome.FAIL
    assert verdict(two, one_differs, outputs=("out",)).outcome is Outcome.PASS


def test_an_original_far_from_its_declared_reference_cannot_be_judged_by() -> None:
    base = case(scale_add, scale_add, truth=lambda b: truth(b) + 1)
    result = judge(JudgeEvidence((replace(base, reference_kind=Reference.DECLARED),), AutoTolerance()))
    assert isinstance(result, CannotJudge) and result.code is Unjudgeable.ORIGINAL_INEXACT


SUMS = OrderFacts(float_sums=(Match("atomicAdd on out", 3, 0),))
ARRIVALS = OrderFacts(arrivals=(Match("atomicAdd on count", 4, 0),))


def varying(cases: tuple[CaseEvidence, ...], *, left: Kernel | None = None, which: str = "candidate") -> tuple[CaseEvidence, ...]:
    """The cases with repeats of one side that differ: bitwise as ``left`` does, or without that it was kept what they left."""
    return tuple(replace(c, **{which: _with_repeats(c, getattr(c, which), left)}) for c in cases)


def _with_repeats(evidence: CaseEvidence, runs: tuple[SideRun, ...], left: Kernel | None) -> tuple[SideRun, ...]:
    marked = tuple(replace(run, repeat_difference="repeat 3 differs in buffer 2") for run in runs)
    if left is None:
        return marked
    memory = {b.name: np.frombuffer(b.before, np.float32).copy() for b in evidence.buffers if not b.is_poisoned}
    out = np.frombuffer(
        bytes([FILLS[0]]) * len(evidence.buffers[-1].before), np.int32 if evidence.buffers[-1].element_type == "int" else np.float32
    )
    repeat = side(left, memory, out, FILLS[0], is_repeat=True)
    return (*marked, repeat)


def test_repeats_that_differ_say_nothing_by_themselves_where_both_add_floats_atomically() -> None:
    base = evidence(scale_add, scale_add, order_before=SUMS, order_after=SUMS)
    for which in ("candidate", "original"):
        result = judge(replace(base, cases=varying(base.cases, which=which)))
        assert isinstance(result, Verification)
        assert (result.outcome, result.labels, result.findings) == (Outcome.PASS, (), ())


def far(b: Buffers) -> None:
    scale_add(b)
    b["out"][9] += np.float32(0.01)


def test_every_repeat_must_be_within_the_originals_own_error() -> None:
    base = evidence(scale_add, scale_add, order_before=SUMS, order_after=SUMS)
    assert verdict_on(replace(base, cases=varying(base.cases, left=far))).outcome is Outcome.FAIL
    both = varying(varying(base.cases, left=far), left=far, which="original")
    assert verdict_on(replace(base, cases=both)).outcome is Outcome.PASS, "the original spreads as far"


def test_runs_of_the_original_that_agree_by_luck_spread_as_those_of_other_cases() -> None:
    base = evidence(scale_add, far, order_before=SUMS, order_after=SUMS)
    for lucky_count, outcome in ((1, Outcome.PASS), (2, Outcome.FAIL)):
        spreading = varying(base.cases[lucky_count:], left=far, which="original")
        assert verdict_on(replace(base, cases=(*base.cases[:lucky_count], *spreading))).outcome is outcome


@pytest.mark.parametrize("kind", ["resized", "injected"])
def test_cases_of_our_own_making_allow_what_runs_of_the_original_usually_spread(kind: str) -> None:
    base = evidence(scale_add, scale_add, order_before=SUMS, order_after=SUMS)
    made = case(scale_add, far, seed=9, kind=kind, truth=truth)
    made = replace(made, origin=replace(made.origin, shape="n=511"))
    for cases, outcome in ((base.cases, Outcome.NEEDS_DECISION), (varying(base.cases, left=far, which="original"), Outcome.PASS)):
        assert verdict_on(replace(base, cases=(*cases, made))).outcome is outcome


def test_repeats_that_differ_without_anything_that_explains_it_are_a_race() -> None:
    base = evidence(scale_add, scale_add)
    result = verdict_on(replace(base, cases=varying(base.cases)))
    assert (result.outcome, codes(result), result.labels) == (Outcome.NEEDS_DECISION, {"race"}, ())
    exact = case(ranks, ranks, out=np.zeros(N, np.int32))
    assert codes(verdict_on(JudgeEvidence(varying((exact,)), AutoTolerance()))) == {"race"}


def ranks(b: Buffers) -> None:
    b["out"][:] = np.argsort(b["x"])


def swapped(b: Buffers) -> None:
    ranks(b)
    b["out"][[3, 7]] = b["out"][[7, 3]]


def replaced(b: Buffers) -> None:
    ranks(b)
    b["out"][3] = b["out"][7]


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [(ARRIVALS, ARRIVALS, Outcome.PASS), (NO_ORDER, ARRIVALS, Outcome.NEEDS_DECISION), (NO_ORDER, NO_ORDER, Outcome.FAIL)],
)
def test_exact_values_in_another_order(before: OrderFacts, after: OrderFacts, outcome: Outcome) -> None:
    """Right where the original's own order is luck, for a person where only the edit's is, else wrong."""
    facts = JudgeEvidence((case(ranks, swapped, out=np.zeros(N, np.int32)),), AutoTolerance(), order_before=before, order_after=after)
    assert verdict_on(facts).outcome is outcome
    wrong = replace(facts, cases=(case(ranks, replaced, out=np.zeros(N, np.int32)),))
    assert verdict_on(wrong).outcome is Outcome.FAIL, "a value is missing"


def test_an_output_that_the_original_leaves_in_varying_order_is_compared_sorted() -> None:
    right, wrong = (case(ranks, kernel, out=np.zeros(N, np.int32)) for kernel in (ranks, replaced))
    right, wrong = varying((right, wrong), left=swapped, which="original")
    assert verdict_on(JudgeEvidence((right,), AutoTolerance(), order_before=ARRIVALS)).outcome is Outcome.PASS
    assert verdict_on(JudgeEvidence((wrong,), AutoTolerance(), order_before=ARRIVALS)).outcome is Outcome.FAIL


def test_an_edit_whose_results_depend_on_who_comes_first_is_labelled() -> None:
    exact = varying((case(ranks, ranks, out=np.zeros(N, np.int32)),), left=swapped)
    result = verdict_on(JudgeEvidence(exact, AutoTolerance(), order_after=ARRIVALS))
    assert result.outcome is Outcome.NEEDS_DECISION and Label.NON_DETERMINISM in result.labels


def verdict_on(evidence: JudgeEvidence) -> Verification:
    result = judge(evidence)
    assert isinstance(result, Verification), result
    return result


def test_other_behaviour_on_nan_only_adds_a_label() -> None:
    def clamped(b: Buffers) -> None:
        b["out"][: N - 1] = np.nan_to_num(b["x"] * np.float32(2) + b["y"], nan=0.0)[: N - 1]

    odd = inputs(9)
    odd["x"][4] = np.nan
    base = evidence(scale_add, clamped)
    injected = case(scale_add, clamped, kind="injected", buffers=odd)
    result = judge(replace(base, cases=(*base.cases, injected)))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.NAN_BEHAVIOUR,)
    assert len(result.cases) == 3


def test_a_huge_value_written_over_its_like_is_an_output_all_the_same() -> None:
    def replaces(b: Buffers) -> None:
        scale_add(b)
        b["y"][:] = b["x"]

    def adds(b: Buffers) -> None:
        scale_add(b)
        b["y"] += b["x"]

    def cleared(seed: int) -> Buffers:
        return {**inputs(seed), "y": np.zeros(N, np.float32)}

    huge = cleared(9)
    huge["x"][4] = huge["y"][4] = 1e30
    ordinary = [case(replaces, adds, seed=seed, kind=kind, buffers=cleared(seed)) for seed, kind in ((1, "recorded"), (2, "resampled"))]
    result = judge(JudgeEvidence((*ordinary, case(replaces, adds, kind="huge", buffers=huge)), AutoTolerance()))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and Label.NAN_BEHAVIOUR in result.labels, result.findings


def test_zeros_of_both_signs_say_nothing_of_roundings_and_all_of_infinities() -> None:
    def rounds(b: Buffers) -> None:
        scale_add(b)
        b["out"][:-1] += np.float32(6 * 2**-24) * np.abs(b["out"][:-1]).max()

    def divides(b: Buffers) -> None:
        b["out"][:-1] = 1 / b["x"][:-1]

    def of_magnitude(b: Buffers) -> None:
        b["out"][:-1] = 1 / np.abs(b["x"][:-1])

    def judged(original: Kernel, candidate: Kernel) -> Verification:
        """The verdict with a further case of zeros of both signs."""
        zeros = inputs(9)
        zeros["x"][::2] = [0.0, -0.0] * (N // 4)
        zeros["x"][1] = 1e3
        ordinary = case(original, original, seed=1)
        with np.errstate(divide="ignore"):
            result = judge(JudgeEvidence((ordinary, case(original, candidate, kind="zeros", buffers=zeros)), AutoTolerance()))
        assert isinstance(result, Verification)
        return result

    assert judged(scale_add, rounds).labels == ()
    assert Label.NAN_BEHAVIOUR in judged(divides, of_magnitude).labels


@pytest.mark.parametrize(
    ("label", "outcome"),
    [(Label.FAST_MATH, Outcome.NEEDS_DECISION), (Label.ALIGNMENT, Outcome.NEEDS_DECISION), (Label.READABILITY, Outcome.PASS)],
)
def test_labels_stand_next_to_the_verdict(label: Label, outcome: Outcome) -> None:
    result = verdict(scale_add, scale_add, labels=(DetectedLabel(label, "why", 3),))
    assert result.outcome is outcome and result.labels == (label,)


def test_a_static_finding_counts() -> None:
    finding = VerificationFinding("magic_size", Outcome.FAIL, "returns early when n == 1024")
    assert verdict(scale_add, scale_add, findings=(finding,)).outcome is Outcome.FAIL


def test_the_worse_of_kernel_and_program_stands() -> None:
    wrong = ProgramVerdict((VerificationFinding("wrong_output", Outcome.FAIL, "prints 3"),), (), 4)
    result = verdict(scale_add, scale_add, program=wrong)
    assert result.outcome is Outcome.FAIL and result.oracle == "kernel+program"
    alone = judge(JudgeEvidence((), AutoTolerance(), program=ProgramVerdict((), (), 4)))
    assert isinstance(alone, Verification) and alone.outcome is Outcome.PASS and alone.oracle == "program"


def test_nothing_to_judge_on_is_said() -> None:
    assert isinstance(judge(JudgeEvidence((), AutoTolerance())), CannotJudge)


def test_judging_twice_gives_equal_values() -> None:
    assert judge(evidence(scale_add, half_precision)) == judge(evidence(scale_add, half_precision))


def with_resized(candidate: Kernel) -> JudgeEvidence:
    """Ordinary cases on which B is right, and one smaller size on which it is ``candidate``."""
    base = evidence(scale_add, scale_add)
    smaller = case(scale_add, candidate, seed=9, kind="resized", truth=truth)
    smaller = replace(smaller, origin=replace(smaller.origin, shape="n=511"))
    return replace(base, cases=(*base.cases, smaller))


def test_a_size_on_which_only_the_original_is_right_shows_an_assumption() -> None:
    def beyond(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    result = judge(with_resized(beyond))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.ASSUMPTION,)
    assert "own sizes; with n=511" in result.findings[0].message
    assert [c.outcome for c in result.cases] == [Outcome.PASS] * 3 + [Outcome.NEEDS_DECISION]


def test_special_values_say_nothing_more_of_a_size_on_which_b_is_wrong_anyway() -> None:
    def beyond(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    base = with_resized(beyond)
    special = replace(base.cases[-1], origin=replace(base.cases[-1].origin, kind="injected", seed=10))
    result = judge(replace(base, cases=(*base.cases, special)))
    assert isinstance(result, Verification)
    assert [(f.code, f.outcome) for f in result.findings] == [("assumption", Outcome.NEEDS_DECISION)]
    own = replace(special, origin=replace(special.origin, shape=base.cases[0].origin.shape))
    assert "wrote_outside_outputs" in codes(judged_as(replace(base, cases=(*base.cases, own)), "injected"))


def test_a_guard_that_ran_on_shifted_buffers_needs_no_decision() -> None:
    label = DetectedLabel(Label.ALIGNMENT, "assumes the alignment of x")
    base = replace(with_resized(scale_add), labels=(label,))
    assert codes(judged_as(base, "shifted")) == set()
    assert judged_as(base, "shifted").outcome is Outcome.PASS
    untried = judged_as(base, "resized")
    assert untried.outcome is Outcome.NEEDS_DECISION and untried.labels == (Label.ALIGNMENT,)
    another = replace(base, edited=(base.cases[0].kernel, "another"))
    assert Label.ALIGNMENT in judged_as(another, "shifted").labels, "the other kernel's guard was not tried"


def test_a_guard_that_does_not_hold_is_an_assumption_of_alignment() -> None:
    result = judged_as(with_resized(lambda b: None), "shifted")
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.ALIGNMENT,)
    assert "aligned to more than their elements" in result.findings[0].message


def judged_as(base: JudgeEvidence, kind: str) -> Verification:
    """With the last case of that kind."""
    last = replace(base.cases[-1], origin=replace(base.cases[-1].origin, kind=kind))
    result = judge(replace(base, cases=(*base.cases[:-1], last)))
    assert isinstance(result, Verification)
    return result


def test_memory_that_must_be_zero_is_an_assumption() -> None:
    base = with_resized(lambda b: None)
    dirty = replace(base.cases[-1], origin=replace(base.cases[-1].origin, kind="refilled", shape="n=512, out not zero"))
    result = judge(replace(base, cases=(*base.cases[:-1], dirty)))
    assert isinstance(result, Verification) and result.outcome is Outcome.NEEDS_DECISION
    assert "where memory is zero before the launch, as in this program; with n=512, out not zero" in result.findings[0].message


def test_a_size_on_which_both_are_right_is_one_more_case() -> None:
    result = judge(with_resized(scale_add))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS and len(result.cases) == 4


def test_a_new_defect_at_another_size_is_an_assumption_too() -> None:
    base = with_resized(scale_add)
    racy = tuple(replace(run, problems=(problem("barrier_divergence", 12),)) for run in base.cases[-1].candidate)
    result = judge(replace(base, cases=(*base.cases[:-1], replace(base.cases[-1], candidate=racy))))
    assert isinstance(result, Verification)
    assert [(f.code, f.outcome, f.line) for f in result.findings] == [("assumption", Outcome.NEEDS_DECISION, 12)]


def test_a_defect_at_every_size_is_not_said_to_be_one_of_another_size() -> None:
    base = with_resized(scale_add)
    doubtful = (problem("possible_missing_fence", 12),)
    cases = tuple(replace(c, candidate=tuple(replace(run, problems=doubtful) for run in c.candidate)) for c in base.cases)
    result = judge(replace(base, cases=cases))
    assert isinstance(result, Verification)
    assert (codes(result), result.labels) == ({"possible_missing_fence"}, ())


def test_a_size_that_cannot_judge_or_breaks_the_original_does_not_count() -> None:
    base = with_resized(lambda b: None)
    idle = case(lambda b: None, scale_add, seed=9, kind="resized")
    broken = replace(base.cases[-1], original=(SideRun((), error="crashed"),))
    for unusable in (idle, broken):
        result = judge(replace(base, cases=(*base.cases[:-1], unusable)))
        assert isinstance(result, Verification) and result.outcome is Outcome.PASS
        assert len(result.cases) == 3 and result.dropped_cases[0].startswith("resized")


def of_kind(kind: str, candidate: Kernel, values: Buffers | None = None) -> JudgeEvidence:
    """Ordinary cases on which B is right, and one of values of a kind that the program never had, on which it is ``candidate``."""
    base = evidence(scale_add, scale_add)
    other = case(scale_add, candidate, seed=9, kind=kind, truth=truth, buffers=values)
    other = replace(other, origin=replace(other.origin, values="x from -250 to -1"))
    return replace(base, cases=(*base.cases, other))


def nearly(roundoffs: float) -> Kernel:
    def run(b: Buffers) -> None:
        scale_add(b)
        b["out"][: N - 1] *= np.float32(1 + roundoffs * 2.0**-24)

    return run


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("negative", Label.ASSUMPTION),
        ("smaller_grid", Label.ASSUMPTION),
        ("unpadded", Label.ASSUMPTION),
        ("offset", Label.PRECISION),
        ("far", Label.ASSUMPTION),
    ],
)
def test_a_difference_on_values_that_the_program_never_had_is_a_label_that_names_them(kind: str, label: Label) -> None:
    result = judge(of_kind(kind, lambda b: None))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (label,)
    assert "with n=512, x from -250 to -1, on which the original runs clean: out[0]" in result.findings[0].message


def test_a_difference_on_the_programs_own_kinds_of_values_fails() -> None:
    result = judge(of_kind("dense", lambda b: None))
    assert isinstance(result, Verification) and result.outcome is Outcome.FAIL


def test_rows_of_many_elements_may_err_by_what_adding_them_one_by_one_costs() -> None:
    def judged(longest_row: int, roundoffs: float) -> Outcome:
        base = evidence(scale_add, nearly(roundoffs))
        result = judge(replace(base, cases=tuple(replace(one, reference=(), longest_row=longest_row) for one in base.cases)))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged(0, 1000.0) is judged(2000, 40000.0) is Outcome.FAIL
    assert judged(2000, 1000.0) is Outcome.PASS


@pytest.mark.parametrize("kind", ["near", "cancelling"])
def test_values_that_lose_digits_leave_room_for_half_of_them(kind: str) -> None:
    honest, lossy = (judge(of_kind(kind, nearly(count))) for count in (1000.0, 10000.0))
    assert isinstance(honest, Verification) and honest.outcome is Outcome.PASS
    assert isinstance(lossy, Verification) and lossy.labels == (Label.PRECISION,)


def test_equal_values_leave_room_for_roundings_that_add_up() -> None:
    def judged(kind: str, roundoffs: float) -> Outcome:
        result = judge(of_kind(kind, nearly(roundoffs)))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged("same", 10.0) is judged("offsets", 10.0) is Outcome.PASS
    assert judged("unpadded", 10.0) is judged("same", 200.0) is Outcome.NEEDS_DECISION


def test_values_on_which_the_original_overflows_or_loses_its_own_digits_do_not_count() -> None:
    huge: Buffers = {name: np.full(N, 2e38, np.float32) for name in ("x", "y")}
    with np.errstate(over="ignore"):
        overflowing = judge(of_kind("extreme", lambda b: None, huge))
    assert isinstance(overflowing, Verification) and overflowing.outcome is Outcome.PASS
    assert overflowing.dropped_cases == ("values of kind extreme: the original's own out is not finite there",)


def test_values_that_cancel_count_only_where_float64_values_show_that_the_original_keeps_its_digits() -> None:
    def outcome(original: Kernel, truth_of: Kernel | None) -> Verification | CannotJudge:
        base = evidence(scale_add, scale_add)
        other = case(original, lambda b: None, seed=9, kind="cancelling", truth=truth_of)
        return judge(replace(base, cases=(*base.cases, other)))

    for result in (outcome(nearly(10000.0), truth), outcome(scale_add, None)):
        assert isinstance(result, Verification) and result.outcome is Outcome.PASS
        assert any(reason.startswith("values of kind cancelling: ") for reason in result.dropped_cases), result.dropped_cases


def test_integers_made_of_floats_beyond_their_range_say_nothing_of_a_gpu() -> None:
    def convert(value: int) -> Kernel:
        """A kernel whose conversion of NaN gives ``value``."""

        def run(b: Buffers) -> None:
            b["out"][:] = np.nan_to_num(b["x"] * 100)
            b["out"][np.isnan(b["x"])] = value

        return run

    least = np.iinfo(np.int32).min
    empty = np.zeros(N, np.int32)
    special = inputs(5)
    special["x"][::50] = np.nan

    def labels_of(original: int, candidate: int) -> tuple[Label, ...]:
        """Labels of the verdict where the two versions convert NaN to these values."""
        own = tuple(case(convert(original), convert(candidate), seed=seed, out=empty) for seed in (1, 2))
        injected = case(convert(original), convert(candidate), kind="injected", out=empty, buffers=special)
        result = judge(JudgeEvidence((*own, injected), AutoTolerance()))
        assert isinstance(result, Verification), result
        return result.labels

    assert labels_of(least, 0) == () and labels_of(7, 0) == (Label.NAN_BEHAVIOUR,)


UNTYPED_DIFFERENCE = ProgramVerdict((VerificationFinding("untyped_value", Outcome.FAIL, "managed after launch 0[3]: wrong value"),), (), 1)


def test_host_data_of_unknown_type_is_for_a_person_where_the_kernel_passes_every_case() -> None:
    result = verdict(scale_add, scale_add, program=UNTYPED_DIFFERENCE)
    assert result.outcome is Outcome.NEEDS_DECISION
    assert "right on every case" in result.findings[0].message


def test_host_data_of_unknown_type_fails_where_no_case_says_otherwise() -> None:
    def wrong(b: Buffers) -> None:
        b["out"][: N - 1] = 3

    result = verdict(scale_add, wrong, program=UNTYPED_DIFFERENCE)
    assert {f.code: f.outcome for f in result.findings}["untyped_value"] is Outcome.FAIL
    alone = judge(JudgeEvidence((), AutoTolerance(), program=UNTYPED_DIFFERENCE))
    assert isinstance(alone, Verification) and alone.outcome is Outcome.FAIL


def summed(order: slice) -> Kernel:
    """out[i] = a sum of four neighbours, in a given order."""

    def kernel(b: Buffers) -> None:
        """Sums rows of four elements in the given order."""
        rows = b["x"].reshape(-1, 4)[:, order]
        total = np.zeros(len(rows), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for term in rows.T:
                total = total + term
        b["out"][: N // 4] = total

    return kernel


def with_huge_case(candidate: Kernel) -> Verification:
    """Judged on ordinary values, and on finite ones of which some sums overflow to infinity in one order and not in the other."""
    cases = [case(summed(slice(None)), candidate, seed=seed, kind="recorded" if seed == 1 else "resampled") for seed in (1, 2)]
    huge = inputs(9)
    top = np.finfo(np.float32).max / 2
    huge["x"][:4] = [top, top, top, -top]
    huge["x"][4:8] = [top, top, top, 1]
    result = judge(JudgeEvidence((*cases, case(summed(slice(None)), candidate, kind="huge", buffers=huge)), AutoTolerance()))
    assert isinstance(result, Verification)
    return result


def test_a_sum_that_overflows_in_another_order_only_informs() -> None:
    result = with_huge_case(summed(slice(None, None, -1)))
    assert result.outcome is Outcome.PASS and Label.REASSOCIATION in result.labels and Label.NAN_BEHAVIOUR not in result.labels


def test_an_overflow_that_is_hidden_is_for_a_person() -> None:
    def hidden(b: Buffers) -> None:
        summed(slice(None))(b)
        b["out"][: N // 4][~np.isfinite(b["out"][: N // 4])] = 0

    result = with_huge_case(hidden)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.NAN_BEHAVIOUR,)
