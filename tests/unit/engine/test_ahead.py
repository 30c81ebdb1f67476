"""Which edits are compiled ahead: each once, those alone that can be and may be built."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.search.ahead import BuiltAhead
from assistant.measure.targets import target
from assistant.model.plan import Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.ports.lab import RunLimits
from tests.contracts.fake_lab import FakeLab
from tests.deadlines import HANG_S

TEXT = "__global__ void k(float *x)\n{\n    x[0] = 1.0f;\n}\n"


def rewrite(old: str, new: str, *labels: Label) -> Rewrite:
    at = TEXT.index(old)
    return Rewrite("t", "k", 1, (TextEdit(Span(at, at + len(old)), new),), "Do it.", labels)


RIGHT, OTHER = rewrite("1.0f", "2.0f"), rewrite("1.0f", "3.0f")
HOST = rewrite("1.0f", "4.0f", Label.HOST_CODE)
TWICE = Rewrite("t", "k", 1, (*RIGHT.edits, *RIGHT.edits), "Do it.", ())
GONE = rewrite(TEXT, "// nothing")


async def built(tmp_path: Path, *groups: tuple[Rewrite, ...], most: int | None = None) -> list[str]:
    """What the compiler was given, in order; ``most``: builds at once."""
    request = JobRequest(tmp_path / "a.cu", tmp_path)
    request.file.write_text(TEXT)
    lab = FakeLab(tmp_path, {})
    job = Job("J", request, lab, target("h200"), cast("Any", None), tmp_path, (), RunLimits())
    version = read_version(request, DEFAULT_FLAGS)
    evaluation = cast("Any", SimpleNamespace(version=version, counted=SimpleNamespace(kernels=(SimpleNamespace(instance="k(float*)"),))))
    async with asyncio.timeout(HANG_S), BuiltAhead(job, evaluation, most) as ahead:
        for rewrites in groups:
            ahead.begin(rewrites)
        await asyncio.gather(*ahead._builds.values())  # pyright: ignore[reportPrivateUsage]
    return [text for method, text in lab.asked if method == "build"]


async def test_each_edit_is_compiled_once_and_none_of_host_code(tmp_path: Path) -> None:
    texts = await built(tmp_path, (RIGHT, HOST, RIGHT), (OTHER, RIGHT))
    assert texts == [TEXT.replace("1.0f", "2.0f"), TEXT.replace("1.0f", "3.0f")]


@pytest.mark.parametrize("most", [0, 1, 2])
async def test_all_are_compiled_however_few_at_once(tmp_path: Path, most: int) -> None:
    assert len(await built(tmp_path, (RIGHT, OTHER), most=most)) == 2


async def test_an_edit_that_makes_no_version_is_left_to_its_trial(tmp_path: Path) -> None:
    assert await built(tmp_path, (TWICE, GONE, OTHER)) == [TEXT.replace("1.0f", "3.0f")]
