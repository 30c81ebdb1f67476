"""What is played for the pictures of the documentation (``benchmarks.vscode_pictures``): each scene's folder, its clicks, its pictures.

Names of pictures are those of their files; the sentence of each stands above it on the page.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.e2e.cli.harness import DATA, small_text
from tests.e2e.editors.stage import as_cpp_header
from tests.e2e.vscode.programs import WAVES

if TYPE_CHECKING:
    from benchmarks.vscode_pictures import Stage
    from tests.e2e.vscode.window import Window

__all__ = ["NOTEBOOK", "RACE", "SCENES", "Scene", "line_of", "look_closer"]

_QUIET = '[background]\nverify = "off"\nprofile = "off"\n\n[limits]\ncandidates = 1\n'
RACE = """\
#include <cstdio>

__global__ void total(const float *values, float *sum, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        *sum += values[i];
}

int main()
{
    const int count = 1000;
    float *values, *sum;
    cudaMalloc(&values, count * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    cudaMemset(values, 0, count * sizeof(float));
    cudaMemset(sum, 0, sizeof(float));
    total<<<4, 256>>>(values, sum, count);
    float result;
    cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\\n", result);
    cudaFree(values);
    cudaFree(sum);
}
"""
NOTEBOOK: dict[str, object] = {
    "cells": [
        {"cell_type": "code", "id": f"c{i}", "source": text.splitlines(True), "metadata": {}, "outputs": [], "execution_count": None}
        for i, text in enumerate(("import numpy as np", "%%cu\n" + WAVES))
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@dataclass(frozen=True)
class Scene:
    name: str
    title: str
    """Of its part of the page."""
    play: Callable[[Stage], Awaitable[None]]
    pictures: Mapping[str, str]
    """In the order in which they are taken: what each shows, in one sentence."""
    before: Mapping[str, str]
    """What the first version of the extension had in the place of each: the rest of a sentence that begins with *Before*."""
    without: frozenset[str] = frozenset()
    """Those of which it had nothing that could be pictured (``benchmarks.vscode_before``)."""


async def _first_look(stage: Stage) -> None:
    text = small_text("transpose.cu")
    stage.cli.write("transpose.cu", text)
    window = await stage.open("transpose.cu")
    await window.see(window.lens("waiting for your OK"))
    await stage.keep("waiting")
    await window.click(window.lens("waiting for your OK"))
    await window.see(window.page.locator(".monaco-dialog-box"))
    await stage.keep("question")
    await window.let_run()
    await window.see(window.lens("≈"))
    await window.command("View: Toggle Problems")
    await window.see(window.problems, "KO101")
    await window.command("View: Toggle Problems")
    await window.go_to(1)
    await stage.keep("at-rest")
    await window.go_to(line_of(text, "out["), 20)
    await stage.keep("hot-line")
    await look_closer(stage, window, text)


async def look_closer(stage: Stage, window: Window, text: str) -> None:
    """With the cursor on a line that costs: its hover, the kernel's, the quick fix, and Problems."""
    await window.command("Show or Focus Hover")
    await window.see(window.hover)
    await stage.keep("hover-line")
    await window.page.keyboard.press("Escape")
    await window.go_to(line_of(text, "__global__"), 22)
    await window.command("Show or Focus Hover")
    await window.see(window.hover)
    await stage.keep("hover-kernel")
    await window.page.keyboard.press("Escape")
    await window.go_to(line_of(text, "out["), 10)
    await window.command("Quick Fix...")
    await window.see(window.page.locator(".action-widget"))
    await stage.keep("quick-fix")
    await window.page.keyboard.press("Escape")
    await window.command("View: Toggle Problems")
    await stage.keep("problems")


async def _searching(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", '[background]\nverify = "off"\nprofile = "off"\n')
    stage.cli.write("transpose.cu", small_text("transpose.cu"))
    window = await stage.open("transpose.cu")
    await window.command("View: Show kernelopt")
    await window.click(window.lens("Optimize"))
    await window.let_run()
    await window.see(window.lens("≈"), "best ≈")
    await stage.keep("searching")
    await window.see(window.lens("Review"))
    await stage.keep("proposal")
    await window.click(window.lens("Review"))
    await _unfold_first_of_diff(window)
    await stage.keep("review")
    await window.command("View: Close All Editors")
    await window.open_file("transpose.cu")
    await window.click(window.lens("Accept"))
    await window.gone(window.lens("Review"))
    await window.see(window.rows, "Decisions")
    await asyncio.sleep(4)
    await stage.keep("decided")


async def _offer_waves(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    source = stage.cli.write("waves.cu", WAVES)
    ended = stage.cli.run("optimize", source, "--json", "--allow-host-code")
    assert ended.code == 0, ended.said


async def _keep_and_skip(stage: Stage) -> None:
    await _offer_waves(stage)
    window = await stage.open("waves.cu")
    await window.see_count(window.tinted_lines, 3)
    await stage.keep("tinted")
    await _unfold_first(window)
    await stage.keep("keep-and-skip")
    await window.click(window.threads.first.get_by_role("link", name="Skip"))
    await window.let_run()
    await window.see_count(window.thread_signs, 2)
    await _unfold_first(window)
    await window.see(window.threads, "Right at")
    await stage.keep("skipped")


async def _two_files(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    shutil.copytree(DATA / "programs" / "cmake_header", stage.cli.folder, dirs_exist_ok=True)
    header = as_cpp_header(stage.cli.folder)
    assert stage.cli.run("program", header, "--configure").code == 0
    ended = stage.cli.run("optimize", header, "--allow-host-code", "--accept", "none", "--json")
    assert ended.code == 0, ended.said
    window = await stage.open("scale.hpp")
    await window.see(window.lens("via bench"))
    await stage.keep("header")
    await window.click(window.lens("Review"))
    await _unfold_first_of_diff(window)
    await window.see(window.threads, "Hunk 1 of 2")
    await stage.keep("two-files")


async def _failed_check(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    stage.cli.write("total.cu", RACE)
    window = await stage.open("total.cu")
    await window.click(window.lens("Verify"))
    await window.let_run()
    await window.see(window.lens("race at line"))
    await window.go_to(7, 11)
    await window.command("Show or Focus Hover")
    await window.see(window.hover, "An atomic, or one thread alone")
    await stage.keep("failed-check")


async def _profile_panel(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    stage.cli.write("transpose.cu", small_text("transpose.cu"))
    window = await stage.open("transpose.cu")
    await window.click(window.lens("Profile"))
    await window.let_run()
    panel = await window.webview("Source, with heat")
    await stage.keep("profile")
    await panel.get_by_text("Source, with heat").scroll_into_view_if_needed()
    await panel.evaluate("scrollBy(0, innerHeight - 100)")
    await stage.keep("profile-lines")


async def _notebook(stage: Stage) -> None:
    stage.cli.write("kernelopt.toml", _QUIET)
    path = stage.cli.write("lab.ipynb", json.dumps(NOTEBOOK))
    window = await stage.open(path.name)
    await window.click(window.lens("Optimize"))
    await window.let_run()
    await window.see(window.lens("Review"))
    await stage.keep("notebook")


async def _begin(stage: Stage) -> None:
    stage.cli.write("transpose.cu", small_text("transpose.cu"))
    window = await stage.open()
    await window.command("View: Close Primary Side Bar")
    await window.command("kernelopt: Get Started")
    await window.see(window.page.locator(".gettingStartedContainer .getting-started-step"), "Install")
    await window.webview("What is installed, and where")
    await stage.keep("walkthrough")
    await window.command("View: Close All Editors")
    await window.command("Preferences: Open Settings (UI)")
    await window.page.keyboard.insert_text("@ext:kernelopt.kernelopt")
    await window.see(window.page.locator(".settings-editor"), "Kernelopt")
    await window.see(window.page.get_by_text("Settings", exact=True))
    await stage.keep("settings")


async def _unfold_first_of_diff(window: Window) -> None:
    """As ``_unfold_first``, once the diff has taken the place of the file."""
    await window.see(window.title_buttons.get_by_role("button", name="Accept"))
    await _unfold_first(window)


async def _unfold_first(window: Window) -> None:
    """Open the first thread of the active editor."""
    await window.click(window.page.locator(".editor-group-container.active .comment-range-glyph[class*=comment-thread]"))
    await window.see(window.threads)


def line_of(text: str, words: str) -> int:
    """The first line with these words, from 1."""
    return next(number for number, line in enumerate(text.splitlines(), start=1) if words in line)


SCENES = (
    Scene(
        "first look",
        "A file is opened",
        _first_look,
        {
            "waiting": "Your program has not run yet: the lens and the status bar wait for your OK, and nothing stands over your code.",
            "question": "A click says what is compiled, by what, and how it is run; until it is answered, nothing runs.",
            "at-rest": "Profiled: one row over the kernel, and a bar beside the line that costs.",
            "hot-line": "The line with the cursor says its number.",
            "hover-line": "A hover says what it costs, why, and what would change it.",
            "hover-kernel": "Over the kernel's name, what limits it.",
            "quick-fix": "The quick fix of the finding.",
            "problems": "Problems has one entry for one cause.",
        },
        {
            "waiting": "the question of the next picture came by itself, and jobs waited for its answer in silence.",
            "question": "it named the file, but no compiler, flag, argument or limit; *Compiling …* stood above it, over the code as well.",
            "at-rest": "the row over the kernel had over 130 characters and was cut off; a line that costs had a hint, a heat text, "
            "a squiggle, a mark in the gutter and a tint at once.",
            "hot-line": "every line with counters said its numbers at its end, wherever the cursor was, as in the picture above.",
            "hover-line": "a hover said the finding twice, then all that was counted and the machine code, in 100 rows.",
            "hover-kernel": "the row once more, then tables, the first of them about block sizes that the program does not use.",
            "quick-fix": "the same, without *everything known of*, which holds what the hovers no longer list.",
            "problems": "the same entries in longer words, cut off before what they cost.",
        },
        without=frozenset({"waiting", "hot-line"}),
    ),
    Scene(
        "searching",
        "A kernel is optimized",
        _searching,
        {
            "searching": "While the search runs: what limits the code as it is, how many edits were tried, and the best of them.",
            "proposal": "An edit that was judged right and predicted to be faster is offered over the kernel.",
            "review": "*Review*: your file and the proposal, here in one column for want of width, and a thread on each hunk.",
            "decided": "After *Accept* nothing but the code stays, and a line below *Decisions*.",
        },
        {
            "searching": "the row over the kernel said *not profiled yet* all the while.",
            "proposal": "the row said `Proposal: staged-store, PREDICTED 1.14x, PASS | Accept | Reject` behind three other commands, "
            "and a message came over the code.",
            "review": "threads said only *Hunk 1 of 3*, and VS Code's comments panel opened to say it again; hunks that only work together "
            "were offered one by one.",
            "decided": "the comments panel stayed, empty.",
        },
    ),
    Scene(
        "keep and skip",
        "Hunk by hunk, in the file",
        _keep_and_skip,
        {
            "tinted": "Lines that an open proposal would replace are tinted.",
            "keep-and-skip": "Each hunk has a thread with *Keep* and *Skip*.",
            "skipped": "After a *Skip* what is left is judged, and offered with its own gain and the sizes at which it is right.",
        },
        {
            "tinted": "the file showed nothing of a proposal's lines; hunks were decided on in the diff alone.",
            "keep-and-skip": "each hunk had a thread in the diff, which did not say what the hunk does or gains.",
            "skipped": "a hunk that was left out was marked; what was left was judged only once it was taken.",
        },
    ),
    Scene(
        "two files",
        "An edit of two files",
        _two_files,
        {
            "header": "A header's kernel names the program that runs it.",
            "two-files": "An edit of several files is one review and one decision.",
        },
        {
            "header": "the compiler's remarks on a header that is compiled alone stood in it, and the row did not name the program.",
            "two-files": "there was none: a proposal changed one file.",
        },
        without=frozenset({"two-files"}),
    ),
    Scene(
        "failed check",
        "A check that failed",
        _failed_check,
        {"failed-check": "What the check found stands where it happens."},
        {"failed-check": "the hover said the race twice, and named neither its array nor what would help."},
    ),
    Scene(
        "profile",
        "The profile panel",
        _profile_panel,
        {
            "profile": "Where the time goes, next to the code.",
            "profile-lines": "Further down, line by line: each line's share, what was counted there, and the machine code that it became.",
        },
        {
            "profile": "the row's words once more, without the program's copies and gaps; a message lay over the panel.",
            "profile-lines": "the same table.",
        },
    ),
    Scene(
        "notebook",
        "A notebook's cell",
        _notebook,
        {"notebook": "A cell with `%%cu` is treated as a file is."},
        {"notebook": "the same long row as in a file, registers behind the kernel's line, and a message over the cell."},
    ),
    Scene(
        "begin",
        "To begin with",
        _begin,
        {
            "walkthrough": "*kernelopt: Get Started* leads from the installation to an accepted edit.",
            "settings": "All settings stand in VS Code's settings editor.",
        },
        {
            "walkthrough": "the same.",
            "settings": "the same, but the GPU was a word to be typed.",
        },
    ),
)
