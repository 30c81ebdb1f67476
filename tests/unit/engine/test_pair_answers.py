"""What a pair session answers where something is in the way: another kernel, a lost worker, a measured best, a hint."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.pair.session import Pair
from assistant.engine.pair.text import at_start, changed_since, other_files
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest, OptimizeOptions
from assistant.model import events
from assistant.model.build import Flags
from assistant.model.pair import PairSession
from assistant.model.plan import Technique
from assistant.model.source import Source
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab, Program
from tests.contracts.fake_clock import Clock
from tests.unit.engine.commands import HOST, SCALE, Commands
from tests.unit.engine.scripted import Scripted, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_search import KERNELS, QUICK

DECLARED = f"{QUICK}\n{NAIVE}\n"
A = SCALE + HOST


def timed(takes_us: int, text: str = A) -> str:
    return text.replace("    int i", f"    // takes {takes_us} us\n    int i")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


async def answers(on: Commands, first: str, *texts: str, knows_others: bool = True) -> list[str]:
    """To each text, saved one after the other; ``knows_others``: the session keeps the program's other files."""
    pair, said = Pair(on.session), list[str]()
    pair.sessions.start(Source(on.request(first).file, first), None, None, other_files(on.request(first)) if knows_others else ())
    for text in texts:
        heard = await on.hear(pair.edited(on.request(text)))
        said += [event.answer for event in heard if isinstance(event, events.PairTurn)]
        ends = [event.reason for event in heard if isinstance(event, events.JobEnded)]
        assert ends in ([], said[-1:])
    return said


async def test_a_text_without_the_kernel_or_that_crashes_is_answered_each_time_it_is_saved(tmp_path: Path) -> None:
    gone = A.replace("scale", "other")
    crashes = A.replace("int main()", "// crashes\nint main()").replace("2.0f", "2.5f")
    first, second, third = await answers(Commands(tmp_path), A, gone, gone, crashes)
    words = f"cannot be judged: {tmp_path / 'a.cu'} has no kernel 'scale'; it has: other(float *, const float *, int)"
    assert (first, second) == (f"v1: {words}", f"v2: {words}")
    assert third == "v3: FAIL, the program ends by signal SIGSEGV; next: fix it, or go back to v0"


async def test_an_edit_of_another_file_belongs_to_the_version(tmp_path: Path) -> None:
    on, size = Commands(tmp_path), tmp_path / "size.h"
    (tmp_path / "kernelopt.toml").touch()
    size.write_text("#define N 1000\n")
    first = f'#include "size.h"\n{A}'
    second = first.replace("2.0f * x[i]", "x[i] + x[i]")
    (before,) = await answers(on, first, second)
    size.write_text("#define N  1000\n")
    again = await answers(on, first, second, second)
    size.write_text("#define N 1000\n")
    back = await answers(on, first, second)
    assert before.startswith("v1: PASS") and len(again) == 1 and again[0].startswith("v2: PASS")
    assert "saved since" not in again[0]
    assert back == ["back at v1: " + before.removeprefix("v1: ")]
    (session,) = on.session.store.pair_sessions(tmp_path / "a.cu")
    assert session.others == (Source(size, "#define N 1000\n"),)
    assert [turn.others for turn in on.session.store.turns(session.id)] == [(), (), (Source(size, "#define N  1000\n"),), ()]


async def test_a_file_that_the_session_does_not_know_and_that_was_saved_since_is_named(tmp_path: Path) -> None:
    on, size = Commands(tmp_path), tmp_path / "size.h"
    (tmp_path / "kernelopt.toml").touch()
    size.write_text("#define N 1000\n")
    os.utime(size, (time.time() - 60, time.time() - 60))
    first = f'#include "size.h"\n{A}'
    (before,) = await answers(on, first, first.replace("2.0f * x[i]", "x[i] + x[i]"), knows_others=False)
    assert before.startswith("v1: PASS") and "saved since" not in before
    size.write_text("#define N  1000\n")
    os.utime(size, (time.time() + 60, time.time() + 60))
    (after,) = await answers(on, first, first.replace("2.0f * x[i]", "x[i] * 2.0f"), knows_others=False)
    assert "; v0 was run with size.h as saved since, like v2: an edit of several files is judged as one by kernelopt compare" in after


async def test_measured_versions_are_timed_against_the_best_anew(tmp_path: Path) -> None:
    on = Commands(tmp_path, timing=Clock())
    faster, fastest = timed(20).replace("2.0f * x[i]", "x[i] + x[i]"), timed(10).replace("2.0f * x[i]", "x[i] * 2.0f")
    first, second = await answers(on, timed(40), faster, fastest)
    assert first.startswith("v1: PASS") and "FASTER 2.00x" in first and "the best so far" not in first
    assert "FASTER 4.00x" in second and "2.00x against v1, the best so far" in second


async def test_a_turn_is_told_when_it_was_made_and_a_second_save_of_the_same_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_123_999_999)
    on = Commands(tmp_path)
    cheaper = A.replace("2.0f * x[i]", "x[i] + x[i]")
    said = await answers(on, A, cheaper, cheaper, cheaper.replace("    int i", "    // a comment\n    int i"), A, A)
    assert [words.partition(":")[0] for words in said] == ["v1", "back at v0"] and said[1] == "back at v0: the baseline"
    (session,) = on.store.pair_sessions()
    assert {turn.made_ms for turn in on.store.turns(session.id)} == {1_700_000_000_123}


@pytest.mark.parametrize(
    ("hint", "asked", "codes", "outcomes", "note"),
    [
        ("  ", None, {"KO101", "KO111"}, ["kept"], ""),
        ("ko111", "ko111", {"KO111"}, ["kept"], ""),
        ("tile", "tile", {"KO101", "KO111"}, ["kept"], ""),
        ("other", "other", {"KO101", "KO111"}, ["constrained"], ""),
        ("KO", "KO", {"KO101", "KO111"}, ["kept"], "; “KO” names no finding or technique: only a model planner can read it"),
    ],
)
async def test_a_hint_names_a_finding_or_a_technique_and_is_else_for_a_model(
    tmp_path: Path, hint: str, asked: str | None, codes: set[str], outcomes: list[str], note: str
) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[RIGHT])])
    techniques = tuple(Technique(name, name, (), (), "") for name in ("tile", "other"))
    on = Commands(tmp_path, planner, kernels=KERNELS, catalogue=Catalogue(techniques))
    pair, request = Pair(on.session), on.request(DECLARED)
    opened = pair.sessions.start(Source(request.file, DECLARED), "turn", None).state.session
    pair.sessions.constrain(opened.id, "be nice")
    await on.hear(pair.suggest(opened.id, request, hint, OptimizeOptions(max_rounds=1)))
    (seen,) = planner.planned
    assert (seen.hint, seen.wishes, {finding.code for finding in seen.findings}) == (asked, ("be nice",), codes)
    assert [event.outcome for event in on.all(events.CandidateTried)] == outcomes
    turn = on.only(events.PairTurn)
    assert turn.answer.endswith(note) and (turn.proposal is not None) is (outcomes == ["kept"])
    if turn.proposal is None:
        assert turn.answer == "nothing, because tile: tile is excluded"


async def test_a_search_that_fails_is_a_turn_that_says_why(tmp_path: Path) -> None:
    on = Commands(tmp_path, Scripted([]))
    crashes = A.replace("int main()", "// crashes\nint main()")
    pair, request = Pair(on.session), on.request(crashes)
    opened = pair.sessions.start(Source(request.file, crashes), None, None).state.session
    await on.hear(pair.suggest(opened.id, request, ""))
    turn = on.only(events.PairTurn)
    assert turn.answer.startswith("nothing, because the program ends by signal SIGSEGV")
    assert turn.detail.splitlines()[0] == "- the program ends by signal SIGSEGV" and on.ending.exit_code == 3
    assert on.ending.reason == turn.answer


async def test_a_planner_that_fails_is_a_turn_too_where_the_machine_is_to_blame(tmp_path: Path) -> None:
    class Broken(Scripted):
        async def plan(self, request: Any) -> Any:
            raise OSError(28, "the disk is full")

    on = Commands(tmp_path, Broken([]), kernels=KERNELS)
    pair, request = Pair(on.session), on.request(DECLARED)
    opened = pair.sessions.start(Source(request.file, DECLARED), None, None).state.session
    await on.hear(pair.suggest(opened.id, request, ""))
    assert on.only(events.PairTurn).answer.startswith(f"nothing, because {on.said[-1]}") and on.ending.exit_code > 0


async def test_a_text_that_was_accepted_as_a_proposal_of_the_session_is_told_as_it(tmp_path: Path) -> None:
    on = Commands(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]), kernels=KERNELS)
    pair, request = Pair(on.session), on.request(DECLARED)
    opened = pair.sessions.start(Source(request.file, DECLARED), "turn", None).state.session
    await on.hear(pair.suggest(opened.id, request, ""))
    made = on.only(events.ProposalMade).id
    await on.hear(pair.edited(on.request(DECLARED.replace(NAIVE, RIGHT))))
    assert on.only(events.PairTurn).proposal is None  # typed, not accepted
    on.request(DECLARED)
    await on.hear(on.session.accept(made, ()))
    (decided,) = (turn for turn in pair.sessions.state(opened.id).turns if turn.kind == "decision")
    assert (decided.proposal, decided.said, decided.answer) == (made, "", f"{made} accepted by a test")
    await on.hear(pair.edited(on.request(DECLARED.replace(NAIVE, RIGHT.replace("[33]", "[34]")))))
    assert on.only(events.PairTurn).proposal is None


async def test_a_version_that_a_person_accepted_names_its_proposal(tmp_path: Path) -> None:
    on = Commands(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]), kernels=KERNELS)
    pair, request = Pair(on.session), on.request(DECLARED)
    opened = pair.sessions.start(Source(request.file, DECLARED), "turn", None).state.session
    await on.hear(pair.suggest(opened.id, request, ""))
    made = on.only(events.ProposalMade).id
    await on.hear(on.session.accept(made, ()))
    await on.hear(pair.edited(on.request(DECLARED.replace(NAIVE, RIGHT))))
    assert on.only(events.PairTurn).proposal == made


class Lost(Commands):
    """Labs whose machine fails at what the text says."""

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        lab: Any = super()._open_lab(request, scratch, target)
        run = lab.run

        async def fails(program: Program, *given: Any, **named: Any) -> Any:
            if "// fills the disk" in program.sources[0].text:
                raise OSError(28, "No space left on device")
            return await run(program, *given, **named)

        lab.run = fails
        return lab


async def test_a_machine_that_fails_and_a_text_without_any_kernel_are_answered(tmp_path: Path) -> None:
    full = A.replace("int main()", "// fills the disk\nint main()").replace("2.0f * x[i]", "x[i] + x[i]")
    on = Lost(tmp_path)
    first, second = await answers(on, A, full, "// nothing\n")
    assert first.startswith("v1: cannot be judged: no space left in ")
    assert second.startswith(f"v2: cannot be judged: {tmp_path / 'a.cu'} ")


def test_the_baseline_is_run_with_the_other_files_as_they_were(tmp_path: Path) -> None:
    kernel = "__global__ void k(float *x) { x[threadIdx.x] *= 2; }\n"
    file, main, size = tmp_path / "k.cuh", tmp_path / "main.cu", tmp_path / "size.h"
    (tmp_path / "kernelopt.toml").touch()
    before = ('#include "k.cuh"\n#include "size.h"\nint main() { k<<<1, N>>>(nullptr); }\n', "#define N 32\n")
    texts = (kernel, *before)
    for path, text in zip((file, main, size), texts, strict=True):
        path.write_text(text)
    request = JobRequest(file, tmp_path)
    session = PairSession("S1", tmp_path, file, "k", None, kernel, 1, "cli 1", other_files(request))
    assert session.others == (Source(main, before[0]), Source(size, before[1]))
    file.write_text(kernel.replace("*= 2", "+= 1"))
    main.write_text(before[0].replace("<<<1, N>>>", "<<<2, N / 2>>>"))
    size.write_text("#define N 64\n")
    others = changed_since(request, session)
    now = read_version(replace(request, texts=tuple((other.path, other.text) for other in others)), Flags())
    assert {source.path: source.text for source in now.program.sources}[size] == "#define N 64\n"
    assert {source.path: source.text for source in at_start(now, session).program.sources} == dict(
        zip((file, main, size), texts, strict=True)
    )
