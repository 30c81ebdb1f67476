"""What a session says of a request besides its answer: how the files are read, which program is run, what a setting names in vain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine import session
from assistant.engine.channel import UNHEARD
from assistant.engine.job import DONE, Ending, Job
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.search import FrozenVersion
from assistant.engine.source_version import SourceVersion
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.profile import Severity
from assistant.model.proposal import texts_sha256
from assistant.model.report import ProfilerReport
from assistant.model.source import Source
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from tests.unit.engine.commands import HOST, SCALE, Commands
from tests.unit.engine.test_commands import CHEAPER, CRASHES, WRONG, A
from tests.unit.engine.test_reported import TEXT as REPORTED
from tests.unit.engine.test_reported import K, report

pytestmark = pytest.mark.usefixtures("home")
MAIN = f'#include "scale.cuh"\n{HOST}'


@pytest.fixture
def on(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


def messages(on: Commands) -> list[tuple[Severity, str]]:
    return [(event.severity, event.message) for event in on.all(events.Message)]


async def test_a_file_that_another_one_starts_is_judged_in_the_place_of_the_one_beside_it(on: Commands) -> None:
    (on.folder / "main.cu").write_text(MAIN)
    header = on.request(SCALE, "scale.cuh")
    other = on.request(SCALE.replace("2.0f * x[i]", "x[i] + x[i]"), "edited.cuh").file
    await on.hear(on.session.compare(header, other, False))
    said = "edited.cuh is judged in the place of scale.cuh, in the program of that file"
    assert (Severity.INFORMATION, said) in messages(on)
    assert on.ending.exit_code == DONE and on.only(events.JobStarted).other == str(other)
    await on.compare(A, CHEAPER)
    assert messages(on) == []


async def test_two_files_are_compared_in_every_program_where_the_settings_say_so(on: Commands) -> None:
    (on.folder / "kernelopt.toml").write_text("[verification]\nin_every_program = true\n")
    for name in ("one.cu", "two.cu"):
        (on.folder / name).write_text(MAIN)
    header = on.request(SCALE, "scale.cuh")
    other = on.folder / "edited" / "scale.cuh"
    other.parent.mkdir()
    other.write_text(SCALE.replace("2.0f * x[i]", "x[i] + x[i]"))
    await on.hear(on.session.compare(header, other, False))
    outcomes = [(made.kernel is None, made.verification.outcome.value) for made in on.all(events.ComparisonMade)]
    assert outcomes == [(False, "PASS"), (False, "PASS"), (True, "PASS")]
    assert {"in the program one.cu:", "in the program two.cu:"} <= set(on.said)


async def test_the_program_that_a_file_is_part_of_is_named_with_why(on: Commands) -> None:
    (on.folder / "main.cu").write_text(MAIN)
    await on.hear(on.session.check(on.request(SCALE, "scale.cuh")))
    (said,) = [words for severity, words in messages(on) if severity is Severity.INFORMATION]
    assert said.startswith("part of the program main.cu: ")
    await on.hear(on.session.inspect(JobRequest(on.folder / "main.cu", on.folder)))
    assert not any(words.startswith("part of the program") for _, words in messages(on)), "a program that is the file itself is not named"


async def test_flags_of_the_build_that_are_not_used_are_told_in_every_answer_with_what_to_do(on: Commands) -> None:
    (on.folder / "CMakeLists.txt").write_text("target_compile_definitions(a PRIVATE BX=32 BY=8)\n")
    request, has = on.request(A), "CMakeLists.txt has -DBX=32 and -DBY=8, which are not used: "
    way = f"kernelopt program {request.file} --configure has them used, or --cflags gives them"
    other = on.request(CHEAPER, "b.cu").file
    answers = (
        on.session.inspect(request),
        on.session.check(request),
        on.session.profile(request),
        on.session.compare(request, other, False),
        on.session.optimize(request, OptimizeOptions(planner="expert"), Accept.NONE, None),
    )
    for answer in answers:
        await on.hear(answer)
        assert messages(on)[0] == (Severity.WARNING, has + way)
    await on.hear(on.session.check(replace(request, extra_sources=(on.request("void rest() {}", "rest.cu").file,))))
    assert (Severity.WARNING, f"{has}--cflags gives them") in messages(on), "sources that are named are not looked for in a build"
    await on.hear(on.session.check(replace(request, cflags=("-DBX=16",))))
    assert messages(on) == [], "a person who gives flags knows what the build says"


async def test_what_is_unclear_about_a_program_is_a_warning(on: Commands) -> None:
    for name in ("one", "two"):
        (on.folder / name).mkdir()
        (on.folder / name / "b.cu").write_text("void run(float *x) { }\n")
    await on.hear(on.session.check(on.request(f"{SCALE}void run(float *);\n{HOST.replace('}', '    run(out);' + chr(10) + '}')}")))
    (said,) = [words for severity, words in messages(on) if severity is Severity.WARNING and "b.cu" in words]
    assert "run" in said and "one/b.cu" in said and "two/b.cu" in said


async def test_a_region_of_the_settings_that_a_program_lacks_is_told_and_one_that_is_asked_for_is_refused(on: Commands) -> None:
    (on.folder / "kernelopt.toml").write_text('region = "step"\n')
    await on.compare(A, CHEAPER)
    said = "the setting region names step, which this program does not define: what differs is judged"
    assert (Severity.INFORMATION, said) in messages(on) and on.ending.exit_code == DONE
    on.session.check_region(on.request(A))
    on.session.check_region(on.request(A, region="main"))
    with pytest.raises(UsageError, match="the program defines no function stp"):
        on.session.check_region(on.request(A, region="stp"))


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("fast", "", "--planner takes expert, llm, agent or auto, not 'fast'"),
        ("agent", '[provider]\nkind = "manual"\n', "--planner agent: provider.kind manual cannot call tools"),
        ("llm", "", "--planner llm: no model provider is configured"),
        ("agent", "", "--planner agent: no model provider is configured"),
        (None, 'planner = "llm"\n', "--planner llm: no model provider is configured"),
    ],
)
def test_a_planner_that_cannot_be_had_is_refused_before_a_search(on: Commands, name: str | None, settings: str, said: str) -> None:
    (on.folder / "home").mkdir()
    (on.folder / "home" / "config.toml").write_text(settings)
    for options in (OptimizeOptions(planner="expert"), OptimizeOptions(planner="auto")):
        on.session.check_planner(options, on.folder / "a.cu")
    with pytest.raises(UsageError) as raised:
        on.session.check_planner(OptimizeOptions(planner=name), on.folder / "a.cu")
    assert raised.value.message == said


async def test_a_profilers_report_is_profiled_without_running_anything(on: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    async def load(path: Path) -> ProfilerReport:
        read.append(path)
        return report(K)

    monkeypatch.setattr(session, "load_report", load)
    request = on.request(REPORTED, "k.cu", report=on.folder / "x.ncu-rep")
    pages: list[object] = []
    await on.hear(on.session.profile(request, pages.append))
    assert read == [on.folder / "x.ncu-rep"] and len(pages) == 1
    started = on.only(events.JobStarted)
    assert (started.command, started.file, started.device) == ("profile", str(request.file), "NVIDIA H200")
    assert [profile.kernel for profile in on.all(events.Profile)] == ["k(float *)"] and on.ending.exit_code == DONE
    with pytest.raises(UsageError, match="is not about other"):
        await on.hear(on.session.profile(on.request(REPORTED, "other.cu", report=on.folder / "x.ncu-rep")))


async def test_a_version_that_does_not_run_cannot_be_frozen(on: Commands) -> None:
    found: list[object] = []

    async def body(job: Job, version: SourceVersion) -> Ending:
        found.append(await FrozenVersion.opened(job, version, version.kernels[0].key, Catalogue(())))
        return Ending(DONE, "done")

    await on.session.run("optimize", on.request(CRASHES), body, UNHEARD)
    (failure,) = found
    assert isinstance(failure, LabFailure) and (failure.kind, failure.message) == ("crashed", "the program ends by signal SIGSEGV")


async def test_texts_that_are_on_no_disk_are_judged_in_their_order(on: Commands) -> None:
    request = on.request(A)
    await on.hear(on.session.judge(request, [Source(request.file, A)], [Source(request.file, WRONG)]))
    (made,) = on.all(events.ComparisonMade)
    assert made.verification.outcome.value == "FAIL"
    before, after = (texts_sha256([Source(request.file, text)]) for text in (A, WRONG))
    assert (made.a, made.b) == (before, after) and before != after
