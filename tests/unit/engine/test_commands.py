"""What every command tells, event by event, on a lab that is a table: kernels are functions, so each run takes a moment.

After a change that is meant: ``pytest tests/unit/engine/test_commands.py --snapshot-update``, and read the difference before committing it.
"""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from assistant.engine.event_schema import event_schema
from assistant.engine.events_as_json import event_from
from assistant.engine.pair.session import Pair
from assistant.engine.pair.sessions import turn_event
from assistant.engine.proposals.submitted import Submission
from assistant.engine.report.profile_report import ProfileReport
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.model import events
from assistant.model.build import CompilerMissing
from assistant.model.source import Source
from tests.contracts.fake_clock import Clock
from tests.normal_events import normal_lines
from tests.schema_check import violations
from tests.unit.engine.commands import BESIDE, BOTH, CHAIN, HOST, MANY, SCALE, STREAMS, Commands, live_workload
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT, WORKLOAD, TwoEdits
from tests.unit.engine.test_search import KERNELS, QUICK

A = SCALE + HOST
DECLARED = f"{QUICK}\n{NAIVE}\n"
GENERAL = f"{WORKLOAD}\n{NAIVE}\n"
TIMED = A.replace("    int i", "    // takes 40 us\n    int i")


class EventLines(SingleFileSnapshotExtension):
    """A file for each run, a line for each event."""

    _write_mode = WriteMode.TEXT
    file_extension = "jsonl"


def edited(old: str, new: str, text: str = A) -> str:
    assert old in text
    return text.replace(old, new)


CHEAPER = edited("2.0f * x[i]", "x[i] + x[i]")
DEARER = edited("2.0f * x[i]", "x[i] * 2.0f")
WRONG = edited("2.0f * x[i]", "2.5f * x[i]")
LEFT_OUT = edited("if (i < n)", "if (i < n - 1)")
BEYOND = edited("out[i] =", "out[i + n] =")
UNKNOWN = edited("2.0f * x[i]", "2.0f * y[i]")
TWO = SCALE + CHAIN
FUSED = BOTH + edited("scale", "both", HOST)
STREAMED = SCALE + STREAMS
PAIR = SCALE + BOTH + BESIDE
SLOW = SCALE + MANY
CRASHES = edited("int main()", "// crashes\nint main()")
INTERRUPTED = edited("int main()", "// is interrupted\nint main()")
REFERENCED = GENERAL.replace("block  =", 'reference = "ref.py:turned_by_numpy"\noutputs = ["out"]\nblock  =')
NO_LAUNCH = edited("    scale<<<4, 256>>>(out, x, 1000);\n", "")
SCHEMA = event_schema()
Run = Callable[[Commands], Awaitable[None]]


def looks(command: str, text: str, **more: object) -> Run:
    async def run(on: Commands) -> None:
        await on.hear(getattr(on.session, command)(on.request(text, **more)))

    return run


def compares(before: str, after: str, **more: object) -> Run:
    async def run(on: Commands) -> None:
        await on.compare(before, after, **more)  # type: ignore[arg-type]

    return run


def timed(before: str, after: str) -> Run:
    async def run(on: Commands) -> None:
        on.timing = Clock()
        await on.compare(before, after)

    return run


def without_a_compiler(command: str, text: str) -> Run:
    async def run(on: Commands) -> None:
        on.compiler = CompilerMissing("there is no nvcc", "install kernelopt[cuda]")
        await looks(command, text)(on)

    return run


async def profiles_for_a_page(on: Commands) -> None:
    pages: list[ProfileReport] = []
    await on.hear(on.session.profile(on.request(PAIR), pages.append))
    (page,) = pages
    told = on.all(events.Profile)
    assert (page.path, page.text, page.unshown_count) == (on.folder / "a.cu", PAIR, 0)
    assert [(kernel.kernel.partition("(")[0], kernel.line, kernel.ranges) for kernel in page.kernels] == [
        ("scale", 1, ((1, 5),)),
        ("both", 6, ((6, 10),)),
    ]
    assert [launch.profile for kernel in page.kernels for launch in kernel.launches] == told
    assert [launch.summary for kernel in page.kernels for launch in kernel.launches] == on.all(events.ProfileSummary)
    times = [kernel.predicted_time_s for kernel in page.kernels]
    assert times == sorted(times, reverse=True) and all(launch.heat for kernel in page.kernels for launch in kernel.launches)


def of_a_notebook(command: str, text: str) -> Run:
    async def run(on: Commands) -> None:
        await looks(command, text, live=live_workload(on.folder))(on)

    return run


async def resumes(on: Commands) -> None:
    """A search that its front end leaves after the first candidate goes on where it stopped."""
    request = on.request(DECLARED)
    heard: list[events.Event] = []
    told = on.session.optimize(request, OptimizeOptions(may_edit_host_code=False), Accept.NONE, None)
    async with aclosing(told):  # type: ignore[type-var]  # an async generator
        async for event in told:
            heard.append(event)
            if isinstance(event, events.CandidateTried):
                break
    options = OptimizeOptions(may_edit_host_code=False, is_resumed=True)
    heard += await on.hear(on.session.optimize(request, options, Accept.NONE, None))
    on.heard = heard


async def profiles_with_a_clock(on: Commands) -> None:
    on.timing = Clock()
    await on.hear(on.session.profile(on.request(TIMED.replace(HOST, CHAIN))))


async def searches(on: Commands, accept: Accept = Accept.NONE, text: str = DECLARED) -> JobRequest:
    request = on.request(text)
    await on.hear(on.session.optimize(request, OptimizeOptions(may_edit_host_code=False), accept, None))
    return request


async def accepts_and_undoes(on: Commands) -> None:
    await searches(on, Accept.BEST_PREDICTED)
    heard, proposal = list(on.heard), on.only(events.ProposalMade).id
    heard += on.session.undo(proposal)
    on.heard = heard


async def accepts_later(on: Commands) -> None:
    request = await searches(on)
    heard, proposal = list(on.heard), on.all(events.ProposalMade)[-1].id
    heard += await on.hear(on.session.accept(proposal, ()))
    assert "tile" in request.file.read_text()
    on.heard = heard


async def accepts_a_hunk(on: Commands) -> None:
    await searches(on)
    heard, proposal = list(on.heard), on.store.find_proposal(on.all(events.ProposalMade)[-1].id)
    heard += await on.hear(on.session.accept(proposal.id, (proposal.hunks[0].id,)))
    on.heard = heard


async def accepts_after_the_text_moved(on: Commands) -> None:
    request = await searches(on)
    heard, proposal = list(on.heard), on.all(events.ProposalMade)[-1].id
    request.file.write_text(f"int above;\n{DECLARED}")
    heard += await on.hear(on.session.accept(proposal, ()))
    on.heard = heard


async def rejects_and_searches_again(on: Commands) -> None:
    await searches(on)
    heard = list(on.heard)
    heard += on.session.reject(on.all(events.ProposalMade)[-1].id, "style", "no tiles here")
    await searches(on)
    on.heard = heard + on.heard


async def searches_where_confirming_fails(on: Commands) -> None:
    await searches(on, text=GENERAL.replace("n = 160", "n = 64"))


def submits(text: str) -> Run:
    async def run(on: Commands) -> None:
        await on.hear(
            on.session.submit(on.request(DECLARED), Submission((Source(on.request(DECLARED).file, text),), "uses a tile", "an agent"))
        )

    return run


async def pairs(on: Commands) -> None:
    """Edits are answered one by one: a best one, one beside it, a version of before, what does not compile, the baseline."""
    pair = Pair(on.session)
    opened = pair.sessions.start(Source(on.request(DECLARED).file, DECLARED), None, "twice as fast").state.session
    heard: list[events.Event] = []
    for kernel in (RIGHT.replace("[33]", "[34]"), RIGHT, RIGHT, RIGHT.replace("[33]", "[34]"), NAIVE.replace("in[y", "im[y"), NAIVE):
        heard += await on.hear(pair.edited(on.request(DECLARED.replace(NAIVE, kernel))))
    heard.append(turn_event(opened, pair.sessions.why(opened.id)))
    heard.append(turn_event(opened, pair.sessions.stop(opened.id)))
    on.heard = heard


async def suggests(on: Commands) -> None:
    """Suggestions keep to what was asked of them, and to what a rejection taught."""
    pair = Pair(on.session)
    request = on.request(DECLARED)
    opened = pair.sessions.start(Source(request.file, DECLARED), "turn", None).state.session
    heard = await on.hear(pair.suggest(opened.id, request, ""))
    heard += on.session.reject(on.only(events.ProposalMade).id, None, "no tiles of 33")
    for words in ("keep block 1024", "registers at most 64", "be brave", "drop 2"):
        heard.append(turn_event(opened, pair.sessions.constrain(opened.id, words)))
    for hint in ("KO999", "something quite else"):
        heard += await on.hear(pair.suggest(opened.id, request, hint))
    heard.append(turn_event(opened, pair.sessions.why(opened.id)))
    heard += await on.hear(pair.edited(on.request(DECLARED.replace(NAIVE, RIGHT))))
    heard.append(turn_event(opened, pair.sessions.stop(opened.id)))
    on.heard = heard


RUNS: dict[str, Run] = {
    "inspect": looks("inspect", A),
    "inspect_while_typing": looks("inspect", A, is_live=True),
    "inspect_without_a_compiler": without_a_compiler("inspect", A),
    "check_without_a_compiler": without_a_compiler("check", A),
    "check_not_compiled_without_a_compiler": without_a_compiler("check", UNKNOWN),
    "profile_without_a_compiler": without_a_compiler("profile", A),
    "check_crash": looks("check", CRASHES),
    "profile_crash": looks("profile", CRASHES),
    "profile_for_a_page": profiles_for_a_page,
    "profile_one_of_two": looks("profile", PAIR, kernel="both"),
    "compare_crash": compares(A, CRASHES),
    "compare_interrupted": compares(A, INTERRUPTED),
    "compare_one_of_two": compares(PAIR, edited("2.0f * x[i];", "x[i] + x[i];", PAIR)),
    "compare_two": compares(PAIR, edited("if (i < n) x", "if (n > i) x", edited("2.0f * x[i];", "x[i] + x[i];", PAIR))),
    "compare_two_wrong": compares(PAIR, edited("if (i < n) x", "if (n > i) x", edited("2.0f * x[i];", "2.5f * x[i];", PAIR))),
    "compare_fused_timed": timed(TIMED.replace(HOST, CHAIN), FUSED.replace("    int i", "    // takes 60 us\n    int i")),
    "compare_with_a_reference": compares(REFERENCED, REFERENCED.replace(NAIVE, RIGHT)),
    "compare_wrong_by_a_reference": compares(REFERENCED, REFERENCED.replace("in[y * n + x]", "-in[y * n + x]")),
    "check_notebook": of_a_notebook("check", SCALE),
    "check_notebook_wrong": of_a_notebook("check", edited("2.0f * x[i]", "2.5f * x[i]", SCALE)),
    "profile_notebook": of_a_notebook("profile", SCALE),
    "resume": resumes,
    "inspect_not_compiled": looks("inspect", UNKNOWN),
    "check": looks("check", SCALE + CHAIN),
    "check_declared": looks("check", DECLARED),
    "check_out_of_bounds": looks("check", BEYOND),
    "check_not_compiled": looks("check", UNKNOWN),
    "check_not_launched": looks("check", NO_LAUNCH),
    "profile": looks("profile", SCALE + CHAIN),
    "profile_declared": looks("profile", GENERAL),
    "profile_timed": profiles_with_a_clock,
    "profile_not_compiled": looks("profile", UNKNOWN),
    "compare_cheaper": compares(A, CHEAPER),
    "compare_dearer": compares(A, DEARER),
    "compare_unchanged": compares(A, A),
    "compare_wrong": compares(A, WRONG),
    "compare_left_out": compares(A, LEFT_OUT),
    "compare_beyond": compares(A, BEYOND),
    "compare_not_compiled": compares(A, UNKNOWN),
    "compare_with_what_is_not_compiled": compares(UNKNOWN, A),
    "compare_one_launch_more": compares(A, CHEAPER.replace(HOST, CHAIN)),
    "compare_chain": compares(TWO, edited("2.0f * x[i]", "x[i] + x[i]", TWO)),
    "compare_fused": compares(TWO, FUSED),
    "compare_fused_for_the_programs_own_values": compares(TWO, edited("* x[i])", "* fminf(x[i], 4.0f))", FUSED)),
    "compare_streams": compares(STREAMED, edited("2.0f * x[i]", "x[i] + x[i]", STREAMED)),
    "compare_streams_that_do_not_wait": compares(STREAMED, edited("(&s);", "(&s); // too early", STREAMED)),
    "compare_new_include": compares(A, f'#include "more.h"\n{A}'),
    "compare_doubtful_directive": compares(A, edited("    int i", "#ifdef __PIC__\n    int i", edited("x;\n", "x;\n#endif\n", A))),
    "compare_cheaper_strictly": compares(A, CHEAPER, is_strict=True),
    "compare_declared": compares(GENERAL, GENERAL.replace(NAIVE, RIGHT)),
    "compare_declared_whole_tiles": compares(GENERAL, GENERAL.replace(NAIVE, ONLY_FOR_MULTIPLES_OF_32)),
    "check_in_part": looks("check", SLOW),
    "profile_in_part": looks("profile", SLOW),
    "compare_in_part": compares(SLOW, edited("2.0f * x[i]", "x[i] + x[i]", SLOW)),
    "compare_in_part_wrong": compares(SLOW, edited("2.0f * x[i]", "2.5f * x[i]", SLOW)),
    "compare_in_part_by_other_blocks": compares(SLOW, edited("32, 32>", "16, 64>", edited("2.0f * x[i]", "x[i] + x[i]", SLOW))),
    "compare_timed": timed(TIMED, TIMED.replace("2.0f * x[i]", "x[i] + x[i]").replace("40 us", "25 us")),
    "compare_timed_slower": timed(TIMED, TIMED.replace("2.0f * x[i]", "x[i] + x[i]").replace("40 us", "50 us")),
    "search": accepts_and_undoes,
    "search_where_confirming_fails": searches_where_confirming_fails,
    "accept_later": accepts_later,
    "accept_a_hunk": accepts_a_hunk,
    "accept_after_the_text_moved": accepts_after_the_text_moved,
    "reject": rejects_and_searches_again,
    "submit": submits(DECLARED.replace(NAIVE, RIGHT)),
    "submit_wrong": submits(GENERAL.replace(NAIVE, ONLY_FOR_MULTIPLES_OF_32)),
    "submit_no_gain": submits(DECLARED.replace("int x = ", "int x =  ")),
    "pair": pairs,
    "pair_suggest": suggests,
}


@pytest.mark.parametrize("name", RUNS)
async def test_a_command_tells_what_was_recorded(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(secrets, "randbits", random.Random(20261122).getrandbits)  # what jobs draw that are given no seeds
    on = Commands(tmp_path, TwoEdits(ONLY_FOR_MULTIPLES_OF_32))
    on.kernels = {**on.kernels, **KERNELS}
    await RUNS[name](on)
    objects = on.objects()
    assert [event_from(json.loads(json.dumps(told))) for told in objects] == on.heard
    assert [violations(SCHEMA, told) for told in objects if violations(SCHEMA, told)] == []
    lines = normal_lines(objects, {str(tmp_path): "<work>"})
    assert "\n".join(lines) + "\n" == snapshot(extension_class=EventLines)
