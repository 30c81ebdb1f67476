"""What a model is told, and what stays on the machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.config import Settings
from assistant.config.settings import SignalSettings
from assistant.cuda.parse import parse
from assistant.model.build import Build, Diagnostic, DiagnosticSeverity, Flags
from assistant.model.experience import TechniqueEvidence
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recorded_facts import (
    FactsOrigin,
    LaunchShape,
    PointerPair,
    PointerReach,
    RecordedFacts,
    RecordedPointer,
    RecordedScalar,
    Separation,
)
from assistant.model.source import Source
from assistant.plan.llm.annotate import annotated, elided
from assistant.plan.llm.code.library import load_prompts
from assistant.plan.llm.context import diagnostic_lines, facts_of
from tests.unit.plan.llm.bed import EVIDENCE, TEXT, evidence, request_of

HERE = Path("/home/somebody/project/kernel.cu")


def error(file: str, message: str) -> Diagnostic:
    return Diagnostic(file, 3, 1, DiagnosticSeverity.ERROR, message, None, "nvcc")


def test_messages_name_files_without_their_folders() -> None:
    header = "/home/somebody/project/util.cuh"
    lines = diagnostic_lines((error(str(HERE), f"in {HERE}: x is undefined"), error(header, f"{header}(3): y is undefined")), HERE)
    assert lines == ("error, line 3: in kernel.cu: x is undefined", "error, util.cuh, line 3: util.cuh(3): y is undefined")


def test_the_folder_of_the_file_is_not_reported() -> None:
    request = request_of(parsed=parse(Source(HERE, TEXT)))
    assert "somebody" not in repr(facts_of(request, Settings().signals))


def test_facts_stand_on_their_line() -> None:
    lines = annotated(TEXT, EVIDENCE)
    assert lines[13].endswith("by);   // {E…} E2 global_sectors: 262,144 sectors; E3 global_ideal_sectors: 32,768 sectors; "
                              "E4 global_sectors_per_request: 32 sectors/request")  # fmt: skip
    assert lines[12] == "13 |     if (x < n && y < n) {"


def test_a_line_with_many_facts_shows_the_first() -> None:
    many = tuple(evidence(i, "global_requests", float(i), "requests", 1) for i in range(1, 10))
    assert annotated("a;\n", many)[0].endswith("E6 global_requests: 6 requests; and 3 more")


def test_lines_far_from_what_matters_become_a_gap() -> None:
    assert elided(tuple("abcdefghij"), {5}) == ("… (1 line not shown)", *"bcdefgh", "… (2 lines not shown)")


def test_each_signal_can_be_switched_off() -> None:
    request = request_of()
    raw = facts_of(request, Settings().signals)
    for signal, field in (("hardware", "hardware"), ("profile", "evidence"), ("static", "arrays"), ("compile", "resources")):
        signals = Settings.model_validate({"signals": {signal: "off"}}).signals
        assert getattr(raw, field) != ()
        assert getattr(facts_of(request, signals), field) == ()


def test_what_takes_the_time_is_reported_with_device_and_method() -> None:
    limits = facts_of(request_of(), Settings().signals).limits
    assert "limited by L2 cache (" in limits[0] and limits[0].endswith("nothing was timed [E1]")
    assert "786,432 integer, 524,288 load store, 262,144 fp32" in limits[2]
    floors = "2,097,152 distinct bytes at L2's full rate: 216 ns; its fp32 instructions at their full rate: 7.84 ns"
    assert limits[3] == f"floors, each as if there were nothing else: {floors}"
    places = "1,056 blocks on the GPU, of 4,096 in the grid"
    assert limits[4] == f"resident at most: 8 blocks, 64 of 64 warps per SM; {places} (occupancy rules of the architecture)"


def test_each_fact_stands_once() -> None:
    facts = facts_of(request_of(), Settings().signals)
    (model, emulator) = facts.evidence
    assert (model.lines, model.stated) == ((), ("E1",))
    assert (emulator.lines, emulator.stated) == ((), ("E2 to E4",))
    text = load_prompts().render("facts", {"facts": facts}).text
    assert [text.count(said) for said in ("262,144 sectors", "32,768 sectors", "scaled(in[y * n + x], by);", "12.3 µs")] == [1, 1, 1, 0]
    assert "exact: E2 to E4\n" in text


def test_what_the_recorded_launches_add_to_the_counted_ones_is_shown() -> None:
    other = LaunchShape(LaunchConfig(Dim3(8), Dim3(128)), 12)
    counted = LaunchShape(request_of().profiles[0].config, 12)
    for shape, is_shown in ((other, True), (counted, False)):
        recorded = RecordedFacts("transpose", FactsOrigin.RECORDED, 12, 12, (shape,), (), (), (RecordedScalar("n", 64, 64, 64),))
        found = facts_of(request_of(recorded=recorded), SignalSettings()).recorded
        assert any("blocks of" in line for line in found) is is_shown
        assert "`n` is 64" in found[0]


def test_the_gpu_is_shown_with_tensor_cores_the_opt_in_limit_and_how_edits_are_compiled() -> None:
    build = Build("nvcc 13.0", "sm_90", Flags(("-O3",)), (), (), ())
    lines = "\n".join(facts_of(request_of(build=build), SignalSettings()).hardware)
    assert "compiled by nvcc 13.0 with -arch=sm_90 -O3" in lines
    assert "per block 49,152, or up to 232,448 of dynamic shared memory" in lines
    assert "989.5 fp16 and bf16, 494.7 tf32, 1979 fp8, 67 fp64; of fp32 without them: 66.9" in lines


def test_where_blocks_were_only_sampled_the_arrays_say_what_has_to_be_moved() -> None:
    request = request_of(reaches=(PointerReach("out", 1 << 30, 1 << 30), PointerReach("in", 1 << 30, 1 << 30)))
    sampled = replace(request, profiles=(replace(request.profiles[0], unique_sectors=None, estimated_unique_sectors=4096),))
    floors = facts_of(sampled, Settings().signals).limits[3]
    assert "2,147,483,648 bytes of arrays, once, at DRAM's full rate: 447 µs" in floors and "distinct" not in floors


def test_what_memory_recalls_names_its_technique() -> None:
    known = TechniqueEvidence("split-k", "", ("worked here on 2026-11-02",))
    assert facts_of(request_of(recalled=(known,)), SignalSettings()).recalled == ("split-k: worked here on 2026-11-02",)


def test_without_a_compiler_nothing_is_said_of_residency() -> None:
    assert not any("resident" in line for line in facts_of(request_of(resources=None), Settings().signals).limits)


def test_what_all_launches_had_in_common_is_shown_with_how_to_use_it():
    pair = PointerPair("out", "in", Separation.APART, 12)
    pointers = (RecordedPointer("out", 256, 0), RecordedPointer("in", 16, 0))
    shape = LaunchShape(LaunchConfig(Dim3(8), Dim3(128)), 12)
    recorded = RecordedFacts("transpose", FactsOrigin.RECORDED, 12, 12, (shape,), pointers, (pair,), (RecordedScalar("n", 64, 64, 64),))
    reaches = (PointerReach("out", 4096, 4096), PointerReach("in", 1024, 4096))
    shown = facts_of(request_of(recorded=recorded, reaches=reaches), SignalSettings())
    assert shown.recorded[:2] == (
        "in all 12 recorded launches `out` and `in` never overlap",
        "`out` is 256-byte aligned, `in` is 16-byte aligned",
    )
    assert shown.recorded[-1] == "bytes from each pointer to the end of its allocation: `out` 4,096, `in` 1,024 to 4,096"
    text = load_prompts().render("facts", {"facts": shown}).text
    assert "`n` is 64" in text and "Other launches may differ" in text
    assert facts_of(request_of(recorded=recorded), SignalSettings(profile="off")).recorded == ()
