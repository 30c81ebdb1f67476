"""A GPU that a program of the user's own computes on. There is none here: the driver's library is one of the tests' own.

The program does not build, so that a job that is let go ends before it needs the device, on every machine, and says why.
"""

from __future__ import annotations

import subprocess
from collections.abc import Generator

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.programs import HALVE
from tests.integration.lab.nvml_library import FakeGpu, build_nvml

VERIFY = {"device": "auto", "background": {"compile": "off", "verify": "on_save", "profile": "off"}}
REFUSED = "does not build"
UNBUILT = HALVE.replace("int main()", "missing_type before;\n\nint main()")


@pytest.fixture
def gpu(cli: Cli) -> FakeGpu:
    made = build_nvml(cli.temporary)
    cli.variables.update(made.environment)
    cli.variables.pop("CUDA_VISIBLE_DEVICES", None)
    return made


@pytest.fixture
def training() -> Generator[int]:
    """A program of the user's own."""
    process = subprocess.Popen(("sleep", "200"), start_new_session=True)
    yield process.pid
    process.kill()
    process.wait()


@pytest.mark.thorough
async def test_background_work_waits_for_the_users_own_program_and_says_so(
    training: int, gpu: FakeGpu, cli: Cli, open_editor: Start
) -> None:
    gpu.runs((training, "97"))
    editor = await open_editor(settings=VERIFY)
    document = editor.open(cli.write("halve.cu", UNBUILT))
    reason = f"GPU 0 is used by sleep 200 (process {training})"
    await editor.until(lambda: f"Verifying halve.cu waits: {reason}" in editor.logged)
    assert [(job["waits_for"], job["is_running"]) for job in await editor.jobs()] == [(reason, False)]

    await editor.run("kernelopt.profile", uri=document.uri)
    await editor.until(lambda: any(REFUSED in said for said in editor.said))
    assert [job["waits_for"] for job in await editor.jobs()] == [reason], "what was asked for did not wait"

    gpu.runs()
    await editor.until(editor.is_idle)
