"""What the ``kernelopt/…`` requests tell an editor that has views of its own: lists, heat, the whole report, cases verified again."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.cli.harness import Cli, no_orphans, working_cli
from tests.e2e.conftest import Offered
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor, failure, start
from tests.e2e.lsp.programs import SUMS

pytestmark = pytest.mark.asyncio(loop_scope="module")

RACE = """#include <cstdio>
__global__ void total(const float *values, float *sum, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) *sum += values[i];
}

int main()
{
    float *values, *sum, result;
    cudaMalloc(&values, 1000 * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    cudaMemset(values, 0, 1000 * sizeof(float));
    cudaMemset(sum, 0, sizeof(float));
    total<<<4, 256>>>(values, sum, 1000);
    cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\\n", result);
}
"""
OURS = {"protocol": 1, "trusted": True, "supports": ["event", "lines"]}
NO_BACKGROUND = {"background": {"compile": "off", "verify": "off", "profile": "off"}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def profiled(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[tuple[Editor, Document]]:
    """``transpose.cu``, compiled, checked and profiled behind the editor."""
    with working_cli(tmp_path_factory.mktemp("extension"), "extension") as cli, no_orphans():
        editor = await start(cli, options=OURS)
        document = editor.open(cli.small("transpose.cu"))
        await editor.until(lambda: "KO101" in editor.codes(document))
        await editor.quiet()
        yield editor, document
        assert await editor.stop() == 0
    assert editor.complaints == ""


async def test_what_was_learned_is_told_in_parts_before_anything_was(profiled: tuple[Editor, Document]) -> None:
    editor, _ = profiled
    page = await editor.ask("kernelopt/memory")
    assert page["states"] == page["tried"] == [] and page["nothing"].startswith("Nothing was learned yet")


@pytest.mark.thorough
async def test_the_report_holds_every_part_of_a_profile(profiled: tuple[Editor, Document]) -> None:
    editor, document = profiled
    (report,) = await editor.ask("kernelopt/report", uri=document.uri)
    assert report["nothing"] == "" and report["name"] == "transpose.cu" and "emulator" in report["device"].lower()
    assert report["program"].startswith("transpose.cu: predicted: ") and "of GPU time is in 1 kernel (transpose)" in report["program"]
    (kernel,) = report["kernels"]
    launch = kernel["launches"][0]
    assert kernel["line"] == document.line_of("__global__") and not kernel["is_stale"]
    facts = {fact["name"]: fact["value"] for fact in launch["facts"]}
    assert facts["Predicted time of one launch"].endswith("s") and facts["Theoretical occupancy"].endswith("%")
    assert {term["name"] for term in launch["terms"]} >= {"L2 bandwidth", "L1 throughput"}
    hot = [row for row in launch["rows"] if row["heat_step"]]
    assert hot and all(row["heat"] and row["heat"][0].endswith("sectors") for row in hot), "a number stands next to each shade"
    assert any("STG" in instruction for row in launch["rows"] for instruction in row["instructions"])
    assert document.text.splitlines()[hot[0]["now"]] == hot[0]["text"]
    assert launch["stalls"] == [] and "GPU" in launch["no_stalls"]
    assert launch["roofline"] is None and "no place on a roofline" in launch["no_roofline"], "a transpose does no arithmetic"


async def test_a_line_is_where_it_is_now_and_gone_once_it_is_edited(profiled: tuple[Editor, Document]) -> None:
    editor, document = profiled
    line = next(row["now"] for row in (await _rows(editor, document)) if row["heat_step"])
    text = document.text.splitlines()[line]
    editor.type(document, "// above\n" + document.text)
    assert next(row["now"] for row in (await _rows(editor, document)) if row["text"] == text) == line + 1
    editor.replace(document, text, text.replace("= ", "= 1.0f * "))
    assert next(row["now"] for row in (await _rows(editor, document)) if row["text"] == text) is None
    (kernel,) = await editor.ask("kernelopt/list", what="kernels")
    assert kernel["is_stale"] and "before the edit" in kernel["headline"]
    editor.undo(document)
    editor.undo(document)


async def test_an_edited_line_tells_at_once_what_its_accesses_would_cost(profiled: tuple[Editor, Document]) -> None:
    editor, document = profiled
    lines = await editor.ask("kernelopt/lines", uri=document.uri)
    store = next(line for line in lines if line["op"] == "global store")
    counted = store["sectors"] / store["requests"]
    written = document.text.splitlines()[store["line"]]
    editor.replace(document, written, written.replace("= ", "= 1.0f * "))
    (edited,) = await _live(editor, document)
    assert edited == (store["line"], f"≈ store {counted:.0f} sectors/request, 4 would do"), "as the emulator counted it"
    editor.undo(document)
    assert await _live(editor, document) == []


async def _live(editor: Editor, document: Document) -> list[tuple[int, str]]:
    lines = await editor.ask("kernelopt/lines", uri=document.uri)
    return [(line["line"], line["live"]) for line in lines if "live" in line]


async def test_heat_has_its_number_and_its_line(profiled: tuple[Editor, Document]) -> None:
    editor, document = profiled
    lines = await editor.ask("kernelopt/lines", uri=document.uri)
    hot = [line for line in lines if line["heat_step"]]
    assert hot and all("would do" in line["heat"] for line in hot)
    assert all("[" in document.text.splitlines()[line["line"]] for line in lines), "memory is accessed there"
    assert {line["heat"] for line in lines if not line["heat_step"]} <= {""}


async def test_status_says_where_jobs_run_and_which_of_them_wait(profiled: tuple[Editor, Document]) -> None:
    editor, document = profiled
    jobs = [(await editor.run(command, uri=document.uri))["job_id"] for command in ("kernelopt.check", "kernelopt.profile")]
    status = await editor.until(lambda: _busy(editor, len(jobs)))
    assert [job["is_running"] for job in status["jobs"]] == [True, False]
    assert "emulator" in status["device"].lower() and status["rung"] and status["budget"] is None
    editor.changed.clear()
    await editor.quiet()
    assert {"uris": [document.uri]} in editor.changed, "the client is told when to look again"


async def test_nothing_to_show_is_one_sentence(profiled: tuple[Editor, Document]) -> None:
    editor, _ = profiled
    plain = editor.open("untitled:plain.cu", "int main() { return 0; }\n")
    assert [r["nothing"] for r in await editor.ask("kernelopt/report", uri=plain.uri)] == ["This file holds no kernel."]
    fresh = editor.open("untitled:fresh.cu", "__global__ void k(float *x) { x[0] = 1.0f; }\n")
    assert [r["nothing"] for r in await editor.ask("kernelopt/report", uri=fresh.uri)] == ["Not profiled yet: run Profile on this file."]
    assert await editor.ask("kernelopt/report", uri="file:///nowhere.cu") == []
    editor.close(plain)
    editor.close(fresh)


async def test_a_list_that_there_is_not_is_refused(profiled: tuple[Editor, Document]) -> None:
    editor, _ = profiled
    with pytest.raises(Exception, match="kernels, proposals, decisions, pair, cases"):
        await editor.ask("kernelopt/list", what="everything")


@pytest.mark.thorough
@pytest.mark.asyncio(loop_scope="function")
async def test_a_profile_of_a_single_kernel_is_there_again_when_the_file_is_opened_again(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options=OURS, settings=NO_BACKGROUND)
    document = editor.open(cli.write("sums.cu", SUMS))
    job = (await editor.run("kernelopt.profile", uri=document.uri, kernel="first(float *)"))["job_id"]
    await editor.until(lambda: _events_of(editor, job, "job_ended"))
    await editor.until(lambda: any("sums.cu: 1 kernel profiled" in line for line in map(str, editor.logged)))
    assert not editor.said, "the panel that the person asked for says it, and the lens"
    editor.close(document)
    document = editor.open(document.path)
    listed = {kernel["name"]: kernel["headline"] for kernel in await editor.ask("kernelopt/list", what="kernels")}
    assert "-bound" in listed["first"] and listed["second"] == "not profiled yet"


async def test_what_a_check_finds_stands_at_its_lines_alone(profiled: tuple[Editor, Document]) -> None:
    editor, _ = profiled
    document = editor.open("untitled:total.cu", RACE)
    editor.client.messages.clear()
    job = (await editor.run("kernelopt.check", uri=document.uri))["job_id"]
    await editor.until(lambda: _events_of(editor, job, "job_ended"))
    (race,) = await editor.until(lambda: editor.of_code(document, "KO202"))
    assert race.related_information is None, "the other access is on the same line"
    titles = [lens.command.title for lens in await editor.lenses(document) if lens.command]
    assert titles[0].startswith("race at line ") and not editor.said
    editor.close(document)


@pytest.mark.thorough
@pytest.mark.asyncio(loop_scope="function")
async def test_cases_of_a_proposal_can_be_verified_again_one_by_one(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, options=OURS, settings=NO_BACKGROUND)
    document = editor.open(offered.source)
    (listed,) = await editor.ask("kernelopt/list", what="cases", uri=document.uri)
    assert listed["proposal_id"] == offered.id and listed["verdict"] == "PASS" and len(listed["tests"]) > 3
    seeds = list(dict.fromkeys(test["seed"] for test in listed["tests"] if test["seed"]))
    chosen = next(test for test in listed["tests"] if test["seed"] == seeds[1])
    key = {name: chosen[name] for name in ("kind", "shape", "seed", "scale")}
    again = {"uri": document.uri, "kernel": listed["kernel"], "proposal_id": offered.id, "seeds": seeds, "cases": [key]}
    job = (await editor.run("kernelopt.verify", **again))["job_id"]
    comparison = await editor.until(lambda: _events_of(editor, job, "comparison"))
    verification = comparison[0]["verification"]
    judged = [{name: case[name] for name in key} for case in verification["cases"]]
    made_from = ("recorded", "resized")
    assert [case for case in judged if case["kind"] not in made_from] == [key], "that case, on its own values, and what judges it"
    assert verification["outcome"] == "PASS"
    assert "nothing to verify against" in await failure(editor, "kernelopt.verify", uri=document.uri)
    assert "seeds" in await failure(editor, "kernelopt.verify", uri=document.uri, before="", cases=[key])


@pytest.mark.thorough
@pytest.mark.asyncio(loop_scope="function")
async def test_the_text_in_the_editor_is_verified_against_an_earlier_one(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options=OURS, settings=NO_BACKGROUND)
    program = cli.write("sums.cu", SUMS)
    document = editor.open(program, SUMS.replace("+= 2.0f", "+= 3.0f"))
    job = (await editor.run("kernelopt.verify", uri=document.uri, kernel="second(float *)", before=SUMS))["job_id"]
    await editor.until(lambda: _events_of(editor, job, "job_ended"))
    (comparison,) = _events_of(editor, job, "comparison")
    assert comparison["kernel"] == "second(float *)" and comparison["verification"]["outcome"] == "FAIL"
    cases = await editor.ask("kernelopt/list", what="cases")
    assert [(item["kernel"], item["state"], item["verdict"]) for item in cases] == [("second(float *)", "judged", "FAIL")]
    failed = next(test for test in cases[0]["tests"] if test["outcome"] == "FAIL")
    assert "wrong value" in failed["detail"] and failed["seed"] is not None


@pytest.mark.asyncio(loop_scope="function")
async def test_a_job_that_was_not_allowed_ends_for_those_who_wait_for_it(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options=OURS, settings=NO_BACKGROUND, answer=lambda _: "Never")
    document = editor.open(cli.write("sums.cu", SUMS))
    job = (await editor.run("kernelopt.check", uri=document.uri))["job_id"]
    (ended,) = await editor.until(lambda: _events_of(editor, job, "job_ended"))
    assert ended["exit_code"] != 0 and ended["reason"]


@pytest.mark.thorough
@pytest.mark.asyncio(loop_scope="function")
async def test_decisions_and_the_ladder_of_a_pair_session_are_listed(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, options=OURS, settings=NO_BACKGROUND)
    document = editor.open(offered.source)
    await editor.run("kernelopt.pair.start", uri=document.uri, goal="faster")
    (session,) = await editor.ask("kernelopt/list", what="pair")
    assert session["goal"] == "faster" and [version["name"] for version in session["versions"]] == ["v0"]
    assert session["versions"][0]["is_best"] and session["versions"][0]["is_current"]
    assert await editor.ask("kernelopt/list", what="decisions") == []
    await editor.run("kernelopt.proposal.reject", proposal_id=offered.id, reason_code="readability", reason="too clever")
    (decision,) = await editor.until(lambda: editor.ask("kernelopt/list", what="decisions"))
    assert decision["proposal"] == offered.id and decision["kind"] == "rejected" and "too clever" in decision["headline"]
    (report,) = await editor.ask("kernelopt/report", id=offered.id)
    assert report["kernels"][0]["comparisons"][0]["state"] == "rejected", "it can be looked at after the decision"


async def _rows(editor: Editor, document: Document) -> list[dict[str, Any]]:
    (report,) = await editor.ask("kernelopt/report", uri=document.uri)
    return report["kernels"][0]["launches"][0]["rows"]


async def _busy(editor: Editor, count: int) -> dict[str, Any] | None:
    status = await editor.ask("kernelopt/status")
    return status if len(status["jobs"]) == count and any(job["is_running"] for job in status["jobs"]) else None


def _events_of(editor: Editor, job: str, kind: str) -> list[dict[str, Any]]:
    return [event for event in editor.events if event["job"] == job and event["event"] == kind]
