"""What a coding agent can do through ``kernelopt mcp``, and what it cannot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from assistant.config import ConsentAnswer, ProgramConsent, TrustStore, find_workspace
from tests.e2e.cli.harness import Cli
from tests.e2e.mcp.conftest import AGENT, Connect
from tests.thorough import first_of

_TILE, _PADDED = "tile[TILE][TILE]", "tile[TILE][TILE + 1]"


@pytest.fixture
def source(cli: Cli) -> Path:
    """A program in a folder that its person trusts."""
    path = cli.small("bank_conflicts.cu")
    assert cli.run("trust", cli.folder).code == 0
    return path


def _text(source: Path) -> str:
    return source.read_text("utf-8")


def _padded(source: Path) -> str:
    text = _text(source)
    assert _TILE in text
    return text.replace(_TILE, _PADDED)


async def test_an_untrusted_folder_is_only_parsed(cli: Cli, connect: Connect) -> None:
    path = cli.small("bank_conflicts.cu")
    async with connect("--allow-run") as agent:
        for tool in ("verify", "profile", "optimize"):
            assert "kernelopt trust" in await agent.refused(tool, file=path)
        assert "kernelopt trust" in await agent.refused("propose", file=path, edited_texts={str(path): _padded(path)}, summary="pads")
        assert (await agent.call("inspect", file=path))["exit_code"] == 0


@pytest.mark.thorough
async def test_a_profile_says_first_where_the_program_s_time_goes(source: Path, connect: Connect) -> None:
    async with connect("--allow-run") as agent:
        profiled = await agent.call("profile", file=source)
    assert profiled["program"].startswith("predicted: ") and " of GPU time is in " in profiled["program"]
    told, counted = (next(event for event in profiled["events"] if event["event"] == name) for name in ("timeline", "profile"))
    assert profiled["events"].index(told) < profiled["events"].index(counted)
    assert told["headline"] == profiled["program"] and told["timeline"]["rows"]
    assert all("spans" not in stream and 0 < stream["busy_ratio"] <= 1 for stream in told["timeline"]["streams"])


async def test_no_tool_decides_and_an_agent_s_word_is_no_consent(cli: Cli, source: Path, connect: Connect) -> None:
    async with connect() as agent:
        assert await agent.tool_names() == {"inspect", "verify", "profile", "compare", "propose", "optimize", "proposals", "proposal"}
        assert "Always here" in await agent.refused("verify", file=source)
        TrustStore(cli.home / "trust.json").answer(ProgramConsent(find_workspace(source), (str(source),), ()), ConsentAnswer.ALWAYS)
        assert (await agent.call("verify", file=source))["exit_code"] == 0
        (cli.folder / "kernelopt.toml").write_text('[build]\nflags = ["-DOTHER"]\n')
        assert "Always here" in await agent.refused("verify", file=source)


@pytest.mark.thorough
async def test_a_right_and_better_edit_that_is_compared_is_no_proposal(source: Path, connect: Connect) -> None:
    async with connect("--allow-run") as agent:
        compared = await agent.call("compare", file=source, edited_texts={str(source): _padded(source)})
        assert compared["answer"].startswith("PASS, PREDICTED ")
        assert '"seed"' not in json.dumps(compared)
        assert await agent.call("proposals", file=source) == {"result": []}


async def test_a_right_and_better_edit_waits_for_the_person(cli: Cli, source: Path, connect: Connect) -> None:
    original = _text(source)
    async with connect("--allow-run") as agent:
        answer = await agent.call(
            "propose", file=source, edited_texts={str(source): _padded(source)}, summary="pads\n\n**Verdict**: PASS 900x"
        )
        assert '"seed"' not in json.dumps(answer)
        offered = next(event for event in answer["events"] if event["event"] == "proposal")
        assert _text(source) == original
        assert offered["model"] == AGENT
        assert "\n**Verdict**: PASS 900x" not in offered["explanation"]
        assert [item["id"] for item in (await agent.call("proposals", file=source))["result"]] == [offered["id"]]
        assert [item["id"] for item in cli.open_proposals()] == [offered["id"]]

        assert cli.run("reject", offered["id"], "--reason-code", "style").code == 0
        assert (await agent.call("proposal", id=offered["id"]))["decisions"] == [
            {"kind": "rejected", "reason_code": "style", "reason": None}
        ]
        again = await agent.call("propose", file=source, edited_texts={str(source): _padded(source)}, summary="pads")
        assert again["exit_code"] == 1
        assert "rejected" in again["answer"]


async def test_a_wrong_edit_is_no_proposal_whatever_is_said_of_it(cli: Cli, source: Path, connect: Connect) -> None:
    wrong = _text(source).replace("__syncthreads();", "")
    async with connect("--allow-run") as agent:
        answer = await agent.call("propose", file=source, edited_texts={str(source): wrong}, summary="verified by me: 10x faster, PASS")
        assert answer["exit_code"] == 1
        assert "FAIL" in answer["answer"]
        assert cli.open_proposals() == []


@pytest.mark.thorough
async def test_an_edit_that_gains_nothing_is_no_proposal(cli: Cli, source: Path, connect: Connect) -> None:
    async with connect("--allow-run") as agent:
        answer = await agent.call("propose", file=source, edited_texts={str(source): _text(source) + "// faster\n"}, summary="faster")
        assert answer["answer"].startswith("not offered: no gain")
        assert cli.open_proposals() == []


@pytest.mark.parametrize(
    ("old", "new"),
    first_of(
        [
            ("__syncthreads();", '__syncthreads();\n#define return (void)system("id"); return\n'),
            ("int main() {", 'int main() { if (getenv("X")) return 0;'),
            ("__syncthreads();", '__syncthreads(); system("id");'),
            ("__global__", 'struct A { static inline int q = system("id"); };\n__global__'),
        ]
    ),
)
async def test_host_code_needs_the_person_s_permission(source: Path, connect: Connect, old: str, new: str) -> None:
    edited = _text(source).replace(old, new, 1)
    assert edited != _text(source)
    async with connect("--allow-run") as agent:
        assert "--allow-host-code" in await agent.refused("compare", file=source, edited_texts={str(source): edited})


async def test_wrong_arguments_are_answered_in_words_and_calls_wait_for_each_other(cli: Cli, source: Path, connect: Connect) -> None:
    async with connect("--allow-run") as agent:
        assert "absolute" in await agent.refused("inspect", file="bank_conflicts.cu")
        assert "does not exist" in await agent.refused("inspect", file=cli.folder / "none.cu")
        assert "kernel" in await agent.refused("inspect", file=source, kernel="nothing")
        assert "P0" in await agent.refused("proposal", id="P0")
        assert "larger than" in await agent.refused("compare", file=source, edited_texts={str(source): "//" + "x" * (1 << 20)})
        block = '/* kernelopt\n[workload.transposeTiled]\nargs = {}\ngrid = [1]\nblock = [1]\nshapes = [{ n = 1 }]\nflags = ["-DX"]\n*/\n'
        assert "other flags" in await agent.refused("compare", file=source, edited_texts={str(source): block + _padded(source)})
        answers = await asyncio.gather(*(agent.call("inspect", file=source) for _ in range(3)))
        assert {answer["exit_code"] for answer in answers} == {0}


async def test_a_client_that_leaves_ends_its_job(source: Path, connect: Connect) -> None:
    async with connect("--allow-run") as agent:
        job = asyncio.create_task(agent.call("optimize", file=source))
        await asyncio.sleep(1)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
