"""Jobs: shown with progress, cancelled with their processes, replaced by a newer text, second to what a person asks for."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.deadlines import GONE_WITHIN_S
from tests.e2e.cli.harness import Cli, alive
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor
from tests.e2e.lsp.programs import HALVE, SLEEPY, SUMS

VERIFY_ONLY = {"background": {"compile": "off", "profile": "off"}}
ON_COMMAND = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
CANCELLED_WITHIN_S = GONE_WITHIN_S
"""Three on a quiet machine; the program that is cancelled would sleep for forty."""


def running_programs() -> list[int]:
    return [process.pid for process in alive() if process.name == "program"]


def progress(editor: Editor, kind: type[Any]) -> list[Any]:
    return [report for reports in editor.client.progress_reports.values() for report in reports if isinstance(report, kind)]


async def checks(editor: Editor, document: Document) -> list[str]:
    """Ids of the checks of a document that run or wait."""
    return [job["job_id"] for job in await editor.jobs() if job["uri"] == document.uri and job["command"] == "check"]


async def test_the_cross_in_the_progress_ends_the_job_and_its_processes(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=ON_COMMAND)
    document = editor.open(shared_cli.write("sleepy.cu", SLEEPY))
    job = (await editor.run("kernelopt.check", uri=document.uri))["job_id"]
    (begin,) = await editor.until(lambda: progress(editor, types.WorkDoneProgressBegin))
    assert begin.cancellable and "sleepy.cu" in begin.title and list(editor.client.progress_reports) == [job]
    await editor.until(running_programs)
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(job))
    (end,) = await editor.until(lambda: progress(editor, types.WorkDoneProgressEnd), deadline_s=CANCELLED_WITHIN_S)
    assert end.message == "cancelled"
    await editor.until(lambda: is_idle(editor), deadline_s=CANCELLED_WITHIN_S)
    await editor.until(lambda: not running_programs(), deadline_s=CANCELLED_WITHIN_S)


async def test_a_job_is_cancelled_by_its_id(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=ON_COMMAND)
    document = editor.open(shared_cli.write("sleepy.cu", SLEEPY))
    await editor.quiet()  # a fresh server has its settings by then: a job asked for with other settings is another job
    job = (await editor.run("kernelopt.profile", uri=document.uri))["job_id"]
    await editor.until(running_programs)
    assert (await editor.run("kernelopt.profile", uri=document.uri))["job_id"] == job, "a double click is one"
    assert await editor.run("kernelopt.job.cancel", job_id=job) == {"is_cancelled": True}
    await editor.until(lambda: not running_programs(), deadline_s=CANCELLED_WITHIN_S)
    await editor.until(lambda: is_idle(editor), deadline_s=CANCELLED_WITHIN_S)
    assert await editor.run("kernelopt.job.cancel", job_id=job) == {"is_cancelled": False}


async def test_all_kernels_of_a_file_or_those_that_changed_are_optimized(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=ON_COMMAND)
    before = "__global__ void doubled(float *x)\n{\n    x[threadIdx.x] *= 2;\n}\n\n" + SLEEPY
    document = editor.open(shared_cli.write("sleepy.cu", before.replace("*= 2", "+= x[threadIdx.x]")))
    await editor.quiet()
    (action,) = [found for found in await editor.actions(document, 0) if found.title == "kernelopt: optimize this file"]
    assert action.command is not None and list(action.command.arguments or ()) == [{"uri": document.uri}]
    assert await editor.run("kernelopt.optimize", uri=document.uri, before=f"// newer\n{document.text}") == {"job_ids": []}
    (job,) = (await editor.run("kernelopt.optimize", uri=document.uri, before=before))["job_ids"]
    assert [found["kernel"] for found in await editor.jobs() if found["job_id"] == job] == ["doubled(float *)"]
    await editor.run("kernelopt.job.cancel", job_id=job)
    await editor.until(lambda: is_idle(editor), deadline_s=CANCELLED_WITHIN_S)


async def test_optimize_as_the_first_thing_shows_figures_while_it_searches(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=ON_COMMAND)
    document = editor.open(shared_cli.quick())
    await editor.quiet()
    job = (await editor.run("kernelopt.optimize", uri=document.uri))["job_id"]
    rows: list[str] = []

    async def is_over() -> bool:
        row = " | ".join(await editor.titles(document))
        rows.extend([row] * (row not in rows))
        return job not in [found["job_id"] for found in await editor.jobs()]

    await editor.until(is_over)
    profiled = next((row for row in rows if "-bound" in row), "none")
    assert " · trying 1 of " in profiled or profiled.startswith("≈ "), rows
    assert any(" · best ≈" in row or " tried" in row for row in rows), rows
    assert all("Optimize" not in row for row in rows if "trying" in row), rows


@pytest.mark.thorough
async def test_a_newer_text_replaces_the_background_job(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=VERIFY_ONLY)
    document = editor.open(shared_cli.write("sleepy.cu", SLEEPY))
    await editor.until(running_programs)
    (first,) = await checks(editor, document)
    editor.type(document, "// newer\n" + document.text)
    editor.save(document)
    await editor.until(lambda: is_replaced(editor, document, first))
    assert len(await checks(editor, document)) == 1, "the older one is gone, not queued"


async def is_replaced(editor: Editor, document: Document, job: str) -> bool:
    return job not in await checks(editor, document)


async def test_what_a_person_asks_for_goes_first_and_the_background_goes_on_after_it(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=VERIFY_ONLY)
    sleepy = editor.open(shared_cli.write("sleepy.cu", SLEEPY))
    await editor.until(running_programs)
    (behind,) = await checks(editor, sleepy)
    halve = editor.open(shared_cli.write("halve.cu", HALVE))
    await editor.run("kernelopt.check", uri=halve.uri)
    await editor.until(lambda: any(message.startswith("halve.cu: ") for message in editor.said))
    await editor.until(running_programs)
    (again,) = await checks(editor, sleepy)
    assert again != behind


async def is_idle(editor: Editor) -> bool:
    return await editor.jobs() == []


async def test_profiling_one_kernel_keeps_what_is_known_of_the_others(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=ON_COMMAND)
    document = editor.open(shared_cli.write("sums.cu", SUMS))
    await editor.run("kernelopt.profile", uri=document.uri)
    await editor.until(lambda: any("sums.cu" in message for message in editor.said))
    before = await headlines(editor, document)
    assert all("-bound" in headline for headline in before) and len(before) == 2
    editor.client.messages.clear()
    await editor.run("kernelopt.profile", uri=document.uri, kernel="first(float *)")
    await editor.until(lambda: any("sums.cu" in message for message in editor.said))
    assert await headlines(editor, document) == before


async def headlines(editor: Editor, document: Document) -> list[str]:
    lenses = await editor.lenses(document)
    return [lens.command.title for lens in lenses if lens.command and lens.command.command == "kernelopt.kernel.explain"]
