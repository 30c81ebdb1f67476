"""An agent's edit of several files of a program: judged together, and decided on by the person as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DATA, Cli
from tests.e2e.cli.test_programs import MAIN, OPS, RUN
from tests.e2e.mcp.conftest import Connect

CHEAPER = OPS.replace("pow(v[i], 3.0)", "v[i] * v[i] * v[i]").replace("// grows each value\n", "#define GROWN 256\n")
WIDER = RUN.replace("(n + 127) / 128, 128", "(n + GROWN - 1) / GROWN, GROWN")


@pytest.fixture
def files(cli: Cli) -> tuple[Path, Path]:
    """A header with a kernel, and the unit that launches it; ``main()`` is in another."""
    (cli.folder / "kernelopt.toml").touch()
    cli.write("main.cu", MAIN)
    assert cli.run("trust", cli.folder).code == 0
    return cli.write("ops.cuh", OPS), cli.write("run.cu", RUN)


def texts(files: tuple[Path, ...]) -> list[str]:
    return [file.read_text("utf-8") for file in files]


@pytest.mark.thorough
async def test_an_edit_of_two_files_is_judged_shown_accepted_and_taken_back_as_one(
    cli: Cli, files: tuple[Path, Path], connect: Connect
) -> None:
    header, run = map(str, files)
    async with connect("--allow-run") as agent:
        refused = await agent.refused("compare", file=header, edited_texts={header: CHEAPER, str(cli.home / "a.cu"): ""})
        assert "is not in the project of ops.cuh" in refused
        half = await agent.call(
            "propose", file=header, edited_texts={header: CHEAPER.replace("GROWN", "OTHER"), run: WIDER}, summary="half of it"
        )
        assert half["exit_code"] == 1 and cli.open_proposals() == []
        answer = await agent.call("propose", file=header, edited_texts={header: CHEAPER, run: WIDER}, summary="multiplies")
    (offered,) = (event for event in answer["events"] if event["event"] == "proposal")
    assert (offered["file"], offered["files"]) == (header, [header, run])
    shown = cli.run("show", offered["id"])
    assert all(f"+++ b/{file.name}" in shown.out for file in files), shown.said
    assert cli.run("accept", offered["id"]).code == 0 and texts(files) == [CHEAPER, WIDER]
    assert cli.run("undo", offered["id"]).code == 0 and texts(files) == [OPS, RUN]
    files[1].write_text("int mine;\n" + RUN.replace("<<<(n", "<<<(n + 0"), "utf-8")
    assert "run.cu changed where" in cli.run("accept", offered["id"]).said
    assert texts(files)[0] == OPS, "a file that changed keeps all of them as they are"


@pytest.mark.thorough
async def test_an_edit_of_a_shared_header_is_judged_in_every_program_where_an_agent_asks_for_that(cli: Cli, connect: Connect) -> None:
    folder = cli.folder / "shared_header"
    shutil.copytree(DATA / "programs" / "shared_header", folder)
    (folder / "kernelopt.toml").touch()
    header = folder / "common.cuh"
    assert cli.run("trust", folder).code == 0
    store = "= tile[threadIdx.x][threadIdx.y];"
    wrong = header.read_text("utf-8").replace(store, "= TILE > 8 && x == 3 ? 7.f : tile[threadIdx.x][threadIdx.y];")
    assert cli.run("program", header, "--use", "check_transpose.cu").code == 0
    async with connect("--allow-run") as agent:
        chosen = await agent.call("compare", file=str(header), edited_texts={str(header): wrong})
        assert chosen["answer"].startswith("PASS"), "it is right for tiles of 8"
        every = await agent.call("compare", file=str(header), edited_texts={str(header): wrong}, every_program=True)
    assert "not equivalent to A in the program bench_transpose.cu" in every["answer"]


async def test_a_part_is_asked_of_every_program(cli: Cli, connect: Connect) -> None:
    folder = cli.folder / "shared_header"
    shutil.copytree(DATA / "programs" / "shared_header", folder)
    (folder / "kernelopt.toml").touch()
    header = folder / "common.cuh"
    assert cli.run("trust", folder).code == 0
    edited = {str(header): f"// mine\n{header.read_text('utf-8')}"}
    async with connect("--allow-run") as agent:
        answer = await agent.call("compare", file=header, edited_texts=edited, every_program=True, region="no_such_step")
    assert "defines no function no_such_step" in str(answer)
