"""A person's way through a notebook: run the magic, watch it, take a hunk, undo it, decide elsewhere, interrupt, restart, look back."""

from __future__ import annotations

import re

import pytest

from assistant.memory.store import open_store
from tests.e2e.cli.harness import Cli
from tests.e2e.jupyter.conftest import OpenNotebook
from tests.e2e.jupyter.page import LabPage

pytestmark = pytest.mark.asyncio(loop_scope="session")

BEGIN = """\
%load_ext jupyter_ext
import numpy as np, pathlib, time
cells = np.linspace(0.1, 0.9, 256, dtype=np.float32)
"""
WAVES = """\
%%kernelopt smooth --args "cells=cells,count=256,steps=16" --grid 1 --block 256
__device__ float envelope(float t)
{
    return 1.0 - t * (0.8 - t * (0.3 - t * 0.05));
}

__global__ void smooth(float *cells, int count, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float x = cells[i];
        float sum = 0.0f;
        for (int s = 0; s < steps; s++) {
            sum += envelope(x + 0.01 * s);
        }
        cells[i] = 0.9 * sum / steps;
    }
}
"""
"""Double literals on three lines of its kernel; each may become single precision alone."""
TALLEST_PX = 400
"""Of what stands below a cell with a proposal of three hunks (1,183 when all of it was unfolded)."""
WAIT = 'while not pathlib.Path("go").exists(): time.sleep(0.05)'
ENDLESS = """\
%%kernelopt spin --args "x=cells,n=256" --grid 1 --block 256 --wait
__global__ void spin(float *x, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    for (long step = 0; step < 4000000000L; step++) x[i] = x[i] * 0.5f + 1.0f;
}
"""
ENDED = "Its kernel ended: run the cell again"
DIE = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"


def decisions(cli: Cli) -> list[str]:
    """What memory holds, oldest first."""
    with open_store(cli.home / "memory.sqlite3") as store:
        return [decision.kind.value for decision in store.decisions()]


def proposals(cli: Cli) -> list[str]:
    with open_store(cli.home / "memory.sqlite3") as store:
        return [proposal.id for proposal in store.proposals()]


def short_id(cli: Cli, proposal_id: str) -> str:
    """As people see it."""
    with open_store(cli.home / "memory.sqlite3") as store:
        return store.short_id(proposal_id)


def unended(cli: Cli) -> list[str]:
    """Commands of jobs that have not ended."""
    with open_store(cli.home / "memory.sqlite3") as store:
        return [job.command for job in store.jobs() if job.ended_ms is None]


async def press(page: LabPage, name: str) -> None:
    """A button of the panel, by its whole name."""
    await page.page.get_by_role("button", name=name, exact=True).click()


async def command_keys(page: LabPage, *keys: str) -> None:
    """Keys of the notebook's command mode."""
    await page.cell(0).locator(".jp-InputPrompt").click()
    for key in keys:
        await page.page.keyboard.press(key)


async def ask_of_kernel(page: LabPage) -> None:
    """Have a proposal to decide on below one cell and something under way below another, both of a kernel that lives."""
    await page.until_ready()
    await page.begin(0)
    await page.begin(2)
    await page.see(page.output(2).get_by_role("button", name="Accept", exact=True))
    await page.gone(page.output(2).get_by_role("button", name="Cancel", exact=True))
    await page.begin(1)
    await page.see(page.output(1).get_by_role("button", name="Cancel", exact=True))
    await page.gone(page.page.get_by_text(ENDED))


async def see_end(page: LabPage, index: int, words: str = ENDED) -> None:
    """It is said once, and nothing can be pressed."""
    said = page.output(index).get_by_text(re.compile(words)).filter(visible=True)  # the folded steps say it, too
    await page.see(said)
    assert await said.count() == 1
    await page.gone(page.output(index).get_by_role("button"))


async def test_a_proposal_is_reviewed_in_the_notebook_and_elsewhere(open_notebook: OpenNotebook, lab_cli: Cli) -> None:
    page = await open_notebook("waves.ipynb", BEGIN, WAVES, WAIT, "%kernelopt history")
    await page.run(0)
    await page.run(1)
    offer, details, controls = (page.page.locator(f".kernelopt-{part}") for part in ("offer", "details", "controls"))
    await page.see(page.page.locator(".kernelopt-progress"), "check")
    await page.shoot("progress")
    await page.see(page.page.get_by_role("button", name="Accept", exact=True))
    await page.gone(page.page.get_by_role("button", name="Cancel", exact=True))
    for words in ("PREDICTED", "Hunk 2 of 3"):
        await page.see(offer, words)
    await page.shoot("proposal")
    box = await page.output(1).bounding_box()
    assert box is not None and box["height"] <= TALLEST_PX, "three hunks, their own buttons folded"
    for name, words in (("Before and after", "one launch, predicted"), ("Evidence", "Verified:"), ("Steps", "optimize: 1 proposal")):
        await page.gone(details.get_by_text(words).filter(visible=True))
        summary = details.locator("summary", has_text=re.compile(f"^{name}$"))
        await summary.click()
        await page.see(details, words)
        await summary.click()

    await command_keys(page, "a")  # a new cell above: every index is another now
    await page.begin(3)
    await press(page, "Choose hunks…")
    await press(page, "Reject hunk 1")
    await (await page.see(page.page.get_by_label("Reason for hunk 1"))).focus()
    for key in ("ArrowDown", "ArrowDown", "Tab"):  # by keyboard: the page takes none of them for a command on a cell
        await page.page.keyboard.press(key)
    await page.page.keyboard.type("a long sum")
    await page.page.keyboard.press("Tab")
    await press(page, "Reject hunk 3")
    await page.see(controls, "left out of Accept")
    await page.see(controls, "Hunk 2 of 3 · line 13")  # as the notebook numbers them
    await page.shoot("chosen")
    for part in (".kernelopt-course", ".kernelopt-offer", ".kernelopt-controls", ".kernelopt-details"):
        assert await page.accessibility_violations(part) == []
    await press(page, "Accept 1 of 3 hunks")
    await page.until_source(2, "0.01f * s")
    assert await page.is_running(3), "another cell runs all the while"
    source = await page.source(2)
    assert "0.9 * sum" in source and source.startswith("%%kernelopt smooth"), "one hunk of three, in the judged cell"
    await page.until(lambda: decisions(lab_cli) == ["partially_accepted"])
    await page.see(offer, "Changes results: hunk 1: a long sum")
    await page.gone(offer.locator(".kernelopt-diff").filter(visible=True))
    await offer.locator("summary").first.click()
    for words in ("Hunk 2 of 3 · taken", "Hunk 1 of 3 · left out"):
        await page.see(offer, words)
    await page.see(page.output(2), "1 of 3 hunks accepted: the cell was replaced")
    with open_store(lab_cli.home / "memory.sqlite3") as store:
        (decision,) = store.decisions()
    assert (decision.reason_code, decision.reason) == ("precision", "hunk 1: a long sum")
    await page.shoot("accepted")

    await page.editor(2).click()
    await page.page.keyboard.press("Control+Z")
    await page.until_source(2, "0.01 * s")
    await page.until(lambda: decisions(lab_cli) == ["partially_accepted", "undone"])

    ended = lab_cli.run("reject", proposals(lab_cli)[-1], "--reason-code", "precision")
    assert ended.code == 0, ended.said
    await page.see(offer, "rejected")
    await page.gone(controls)
    lab_cli.write("go", "")

    await page.command("Kernelopt History")
    history = page.page.locator(".kernelopt-history")
    for words in ("float literals", "rejected by cli", "undone by", "partially accepted by"):
        await page.see(history, words)
    await history.get_by_role("button", name="float literals").click()
    await page.see(history.locator(".kernelopt-added"), "0.01f * s")
    await page.shoot("history")
    await page.page.locator(".lm-TabBar-tab", has_text="waves.ipynb").click()

    await command_keys(page, "0", "0")
    await page.page.get_by_role("button", name="Confirm Kernel Restart").click()
    await page.gone(page.page.locator(".jp-Dialog"))
    await page.until_ready()
    await page.begin(1)
    await page.run(4)
    await page.see(page.output(4), re.compile(rf"{short_id(lab_cli, proposals(lab_cli)[-1])} +rejected +waves"))


@pytest.mark.thorough
async def test_an_interrupt_ends_what_was_waited_for(open_notebook: OpenNotebook, lab_cli: Cli) -> None:
    page = await open_notebook("endless.ipynb", BEGIN, ENDLESS, "print('alive', 6 * 7)")
    await page.run(0)
    await page.begin(1)
    await page.until(lambda: unended(lab_cli))
    await command_keys(page, "i", "i")
    await page.until(lambda: page.is_running(1), lambda is_running: not is_running)
    await page.until(lambda: not unended(lab_cli))
    await page.run(2)
    await page.see(page.output(2), "alive 42")


@pytest.mark.thorough
async def test_what_a_kernel_was_asked_ends_with_it(open_notebook: OpenNotebook) -> None:
    page = await open_notebook("ended.ipynb", BEGIN, ENDLESS.replace(" --wait", ""), WAVES, DIE)
    dialog = page.page.locator(".jp-Dialog")
    await ask_of_kernel(page)
    await command_keys(page, "0", "0")
    await dialog.get_by_role("button", name="Confirm Kernel Restart").click()
    await see_end(page, 1)
    await see_end(page, 2)
    await page.shoot("restarted")

    await ask_of_kernel(page)
    await page.begin(3)
    await dialog.get_by_role("button", name="Ok").click()
    await see_end(page, 1)
    await see_end(page, 2)
    await page.shoot("died")

    await ask_of_kernel(page)
    await page.command("Change Kernel…")
    await dialog.locator("select").select_option('{"name":"python3"}')  # a new one, not the one that runs
    await dialog.get_by_role("button", name="Select Kernel").click()
    await see_end(page, 1, f"check: cancelled|{ENDED}")  # one that is changed may say so itself
    await see_end(page, 2)
    await page.gone(page.output(1).get_by_text("Traceback"))
    await page.shoot("changed")
