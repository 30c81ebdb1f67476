"""An edit of a header, judged in each program that includes it: the verdicts one by one, then the worst as that of the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.config import load_settings
from assistant.engine.channel import UNHEARD
from assistant.engine.every_program import judging_programs
from assistant.engine.everywhere import judged_elsewhere
from assistant.engine.job import Ending, Job
from assistant.engine.request import JobRequest
from assistant.engine.search import NotOffered
from assistant.engine.source_version import SourceVersion, candidate_of
from assistant.errors import CannotAnswerError
from assistant.model import events
from assistant.model.source import Source
from assistant.model.workload import CaseKey
from assistant.program import choose_program
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine import commands
from tests.unit.engine.commands import HOST, SCALE, Commands

CHEAPER = SCALE.replace("2.0f * x[i]", "x[i] + x[i]")
CLAMPED = SCALE.replace("2.0f * x[i]", "2.0f * fmaxf(x[i], -4.0f)")
TIMED = SCALE.replace("= 2.0f * x[i]", "= 2.0f * x[i] + 0 * clock()")
FAR_BELOW = "// far below"


def clamped(out: np.ndarray, x: np.ndarray, n: int) -> None:
    out[:n] = np.float32(2) * np.maximum(x[:n], np.float32(-4))


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    program = commands._program(1, least=-9.0)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(commands, "PROGRAMS", {FAR_BELOW: program, **commands.PROGRAMS})
    (tmp_path / "kernelopt.toml").write_text("[verification]\nin_every_program = true\n")
    (tmp_path / "one.cu").write_text(f'#include "scale.cuh"\n{HOST}')
    (tmp_path / "two.cu").write_text(f'#include "scale.cuh"\n{FAR_BELOW}\n{HOST}')
    (tmp_path / "scale.cuh").write_text(SCALE)
    return Commands(tmp_path, kernels={"fmaxf(x[i], -4.0f)": Behaviour(clamped, sectors=4), **commands.KERNELS})


async def judged(on: Commands, after: str) -> list[tuple[str | None, str, tuple[str, ...]]]:
    """(kernel, outcome, findings) of each verdict."""
    request = on.request(SCALE, "scale.cuh")
    await on.hear(on.session.judge(request, [Source(request.file, SCALE)], [Source(request.file, after)]))
    made = on.all(events.ComparisonMade)
    return [(each.kernel, each.verification.outcome.value, tuple(found.message for found in each.verification.findings)) for each in made]


async def test_every_program_judges_and_a_verdict_of_the_whole_comes_last(on: Commands) -> None:
    kernel = "scale(float *, const float *, int)"
    assert await judged(on, CHEAPER) == [(kernel, "PASS", ()), (kernel, "PASS", ()), (None, "PASS", ())]
    assert [words for words in on.said if words.startswith("in the program")] == ["in the program one.cu:", "in the program two.cu:"]
    assert (on.ending.exit_code, on.ending.reason.count("PREDICTED")) == (0, 2)


async def test_what_is_wrong_in_a_program_is_wrong_as_a_whole(on: Commands) -> None:
    verdicts = await judged(on, CLAMPED)
    assert [outcome for _, outcome, _ in verdicts] == ["FAIL", "FAIL", "FAIL"] and verdicts[-1][0] is None
    assert verdicts[-1][2] == tuple(f"in the program one.cu: {words}" for words in verdicts[0][2])
    assert (on.ending.exit_code, on.ending.reason) == (1, "FAIL: B is not equivalent to A in the program one.cu")


async def test_a_program_that_cannot_judge_leaves_no_answer(on: Commands) -> None:
    (on.folder / "two.cu").write_text(f'#include "scale.cuh"\n// crashes\n{HOST}')
    verdicts = await judged(on, CHEAPER)
    assert [outcome for _, outcome, _ in verdicts] == ["PASS", "PASS"]
    assert (on.ending.exit_code, on.ending.reason) == (3, "in the program two.cu: A: the program ends by signal SIGSEGV")


async def test_what_is_wrong_in_one_program_counts_though_another_cannot_judge(on: Commands) -> None:
    (on.folder / "two.cu").write_text(f'#include "scale.cuh"\n// crashes\n{HOST}')
    assert [outcome for _, outcome, _ in await judged(on, CLAMPED)] == ["FAIL", "FAIL"]
    assert on.ending.exit_code == 1


async def elsewhere(on: Commands, after: str) -> Any:
    """What a search in the program one.cu hears of the others."""
    found = list[Any]()

    async def body(job: Job, version: SourceVersion) -> Ending:
        found.append(await judged_elsewhere(job, version, candidate_of(version, [Source(version.source.path, after)])))
        return Ending(0, "done")

    choose_program(on.folder / "scale.cuh", on.folder, "one.cu")
    await on.session.run("compare", on.request(SCALE, "scale.cuh"), body, UNHEARD)
    return found[0]


async def test_an_edit_that_holds_in_the_other_programs_is_offered(on: Commands) -> None:
    assert await elsewhere(on, CHEAPER) == ()


async def test_what_a_person_decides_on_names_its_program(on: Commands) -> None:
    (found,) = await elsewhere(on, TIMED)
    assert found.message == "in the program two.cu: reads a clock: clock"


@pytest.mark.parametrize(
    ("after", "host", "reason"),
    [
        (CLAMPED, FAR_BELOW, "in the program two.cu it is wrong: out[0] at n=1000: wrong value"),
        (CHEAPER, "// crashes", "in the program two.cu it could not be judged: A: the program ends by signal SIGSEGV"),
    ],
)
async def test_what_is_wrong_or_unknown_elsewhere_is_not_offered(on: Commands, after: str, host: str, reason: str) -> None:
    (on.folder / "two.cu").write_text(f'#include "scale.cuh"\n{host}\n{HOST}')
    found = await elsewhere(on, after)
    assert isinstance(found, NotOffered) and found.reason.startswith(reason)


def programs(on: Commands, **asked: Any) -> list[str]:
    loaded = load_settings(on.folder)
    request = JobRequest(on.folder / "scale.cuh", on.folder)
    return [name for name, _ in judging_programs(replace(request, **asked), loaded)]


def test_which_programs_judge_follows_from_the_settings_and_the_request(on: Commands) -> None:
    both = ["one.cu", "two.cu"]
    assert programs(on) == programs(on, is_everywhere=True) == both
    assert programs(on, is_everywhere=False) == programs(on, run_command=("./a",)) == []
    assert programs(on, extra_sources=(on.folder / "one.cu",)) == []
    assert programs(on, is_everywhere=True, cases=(CaseKey("scale", "resampled", "n=1000", 1),)) == []
    (on.folder / "two.cu").unlink()
    assert programs(on) == [] and programs(on, is_everywhere=True) == ["one.cu"]
    (on.folder / "one.cu").unlink()
    assert programs(on) == []
    with pytest.raises(CannotAnswerError, match=r"^scale\.cuh is part of no program that was found"):
        programs(on, is_everywhere=True)
    (on.folder / "kernelopt.toml").write_text("[verification]\nin_every_program = false\n")
    assert programs(on) == []


async def test_a_header_is_inspected_with_the_program_that_it_is_part_of(on: Commands) -> None:
    choose_program(on.folder / "scale.cuh", on.folder, "two.cu")
    await on.hear(on.session.inspect(on.request(SCALE, "scale.cuh")))
    assert [words for words in on.said if words.startswith("part of")] == ["part of the program two.cu: two.cu includes scale.cuh"]
    assert "sources of the program: two.cu, scale.cuh" in on.said
    for number in range(20):
        (on.folder / f"h{number:02}.cuh").write_text(f"__global__ void k{number}(float *x) {{ x[0] = 1; }}\n")
    includes = "".join(f'#include "h{number:02}.cuh"\n' for number in range(20))
    (on.folder / "two.cu").write_text(f'#include "scale.cuh"\n{includes}{FAR_BELOW}\n{HOST}')
    await on.hear(on.session.inspect(on.request(SCALE, "scale.cuh")))
    (sources,) = (words for words in on.said if words.startswith("sources of"))
    assert sources.endswith(", h17.cuh and 2 more") and sources.count(", ") == 19


@pytest.mark.parametrize("name", ["one.cu", "two.cu"])
async def test_the_verdict_of_the_whole_has_the_least_gain_of_all_programs(
    on: Commands, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    wide = commands._program(1, blocks=40_000)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(commands, "PROGRAMS", {"// wide": wide, **commands.PROGRAMS})
    for file in ("one.cu", "two.cu"):
        (on.folder / file).write_text(f'#include "scale.cuh"\n{"// wide" if file == name else ""}\n{HOST}')
    await judged(on, CHEAPER)
    ratios = [each.speed.ratio for each in on.all(events.ComparisonMade) if each.speed is not None]
    assert len(ratios) == 3 and ratios[0] != ratios[1] and ratios[2] == min(ratios)
