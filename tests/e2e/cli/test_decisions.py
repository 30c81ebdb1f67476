"""Deciding on proposals: the file changes on accept only, and every decision is remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import EXAMPLES, Cli, finish

ORIGINAL = (EXAMPLES / "transpose.cu").read_text("utf-8")


@pytest.fixture
def source(cli: Cli) -> Path:
    return cli.example("transpose.cu")


def test_optimize_changes_no_file_unless_told_to(cli: Cli, source: Path) -> None:
    ended = cli.run("optimize", source)
    assert ended.code == 0, ended.said
    assert source.read_text("utf-8") == ORIGINAL
    assert [path.name for path in cli.folder.iterdir()] == ["transpose.cu"]
    (offered,) = cli.open_proposals()
    assert offered["state"] == "open"


def test_an_accepted_proposal_stands_in_the_file_and_can_be_undone(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    source.chmod(0o640)
    assert cli.run("accept", offered["id"]).code == 0
    accepted = source.read_text("utf-8")
    assert accepted != ORIGINAL and "__syncthreads();" in accepted
    assert source.stat().st_mode & 0o777 == 0o640
    assert cli.run("check", source).code == 0
    assert cli.open_proposals() == []
    assert cli.run("undo", offered["id"]).code == 0
    assert source.read_text("utf-8") == ORIGINAL
    assert [found["state"] for found in cli.open_proposals()] == ["undone"]
    assert cli.run("accept", offered["id"][:20]).code == 0
    assert source.read_text("utf-8") == accepted


def test_accept_best_takes_nothing_while_the_models_error_is_unmeasured(cli: Cli, source: Path) -> None:
    assert cli.run("optimize", source, "--accept", "best").code == 0
    assert source.read_text("utf-8") == ORIGINAL


def test_accept_best_predicted_takes_it_and_a_second_run_finds_nothing_more(cli: Cli, source: Path) -> None:
    first = cli.run("optimize", source, "--accept", "best-predicted", "--json")
    assert (first.code, first.one("decision")["kind"]) == (0, "accepted")
    accepted = source.read_text("utf-8")
    assert accepted != ORIGINAL
    second = cli.run("optimize", source, "--accept", "best-predicted", "--json")
    assert (second.code, second.all("proposal")) == (0, [])
    assert source.read_text("utf-8") == accepted


def test_a_rejected_technique_ranks_lower_and_the_plan_says_why(cli: Cli, source: Path) -> None:
    first = cli.run("optimize", source, "--json")
    offered = first.one("proposal")
    ended = cli.run("reject", offered["id"], "--reason-code", "readability", "--reason", "a tile is hard to read here")
    assert ended.code == 0 and "a tile is hard to read here" in ended.out
    assert source.read_text("utf-8") == ORIGINAL
    second = cli.run("optimize", source, "--json")
    before, after = (_step(ended.all("plan")[0], offered["techniques"][0]) for ended in (first, second))
    assert after["rank"] < before["rank"]
    assert not before["recalled"]
    assert any("rejected" in sentence and "hard to read" in sentence for sentence in after["recalled"]), after["recalled"]


def test_history_tells_attempts_and_decisions(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    cli.run("reject", offered["id"], "--reason", "not now")
    said = cli.run("history", source).out
    assert "staged-store" in said and "kept" in said
    assert offered["id"] in said and "not now" in said


def test_one_hunk_that_cannot_stand_alone_is_judged_and_refused(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    ended = cli.run("accept", offered["id"], "--hunk", offered["hunk_ids"][1])
    assert ended.code == 1
    assert "FAIL" in ended.out
    assert source.read_text("utf-8") == ORIGINAL
    assert [found["state"] for found in cli.open_proposals()] == ["open"]


def test_one_hunk_that_can_stand_alone_is_judged_and_written(cli: Cli) -> None:
    source = cli.write("two.cu", TWO_HUNKS)
    offered = _offer(cli, source)
    assert len(offered["hunk_ids"]) == 2, offered["diff"]
    ended = cli.run("accept", offered["id"], "--hunk", offered["hunk_ids"][1][:6], "--json")
    assert ended.code == 0, ended.said
    assert ended.one("comparison")["confirmed"]
    assert ended.one("decision")["kind"] == "partially_accepted"
    assert ended.one("decision")["hunk_ids"] == [offered["hunk_ids"][1]]
    written = source.read_text("utf-8")
    changed = [new for old, new in zip(TWO_HUNKS.splitlines(), written.splitlines(), strict=True) if old != new]
    assert len(changed) == 1 and "0.3f" in changed[0]
    assert cli.run("undo", offered["id"]).code == 0
    assert source.read_text("utf-8") == TWO_HUNKS


def test_an_unknown_hunk_is_misuse(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    ended = cli.run("accept", offered["id"], "--hunk", "zz")
    assert ended.code == 2 and offered["hunk_ids"][0] in ended.err


def test_an_edit_elsewhere_is_kept_and_the_proposal_is_judged_again(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    edited = ORIGINAL.replace("int main()", "// my own line\nint main()")
    source.write_text(edited, "utf-8")
    ended = cli.run("accept", offered["id"])
    assert ended.code == 0 and "judged again" in ended.out
    assert source.read_text("utf-8") == edited, "nothing is written before the new proposal is accepted"
    (fresh,) = cli.open_proposals()
    assert fresh["id"] != offered["id"] and fresh["id"] in ended.out
    assert cli.run("accept", fresh["id"]).code == 0
    written = source.read_text("utf-8")
    assert "// my own line" in written and "__syncthreads();" in written
    assert cli.run("check", source).code == 0


def test_an_edit_in_the_same_place_makes_the_proposal_stale(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    edited = ORIGINAL.replace("out[x * height + y] = in[y * width + x];", "out[x * height + y] = 2 * in[y * width + x];")
    assert edited != ORIGINAL
    source.write_text(edited, "utf-8")
    ended = cli.run("accept", offered["id"])
    assert ended.code == 3 and "changed where" in ended.err and "try:" in ended.err
    assert source.read_text("utf-8") == edited
    assert cli.open_proposals() == []


def test_undo_refuses_when_the_file_moved_on(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    cli.run("accept", offered["id"])
    source.write_text(source.read_text("utf-8") + "// more\n", "utf-8")
    moved = source.read_text("utf-8")
    ended = cli.run("undo", offered["id"])
    assert ended.code == 3 and "changed after" in ended.err
    assert source.read_text("utf-8") == moved


@pytest.mark.parametrize("command", ["show", "accept", "reject", "undo"])
def test_an_id_that_names_nothing_is_misuse(cli: Cli, command: str) -> None:
    ended = cli.run(command, "PNOSUCHID")
    assert ended.code == 2 and "PNOSUCHID" in ended.err


def test_a_prefix_that_means_two_proposals_is_misuse(cli: Cli, source: Path) -> None:
    _offer(cli, source)
    cli.write("two.cu", TWO_HUNKS)
    cli.run("optimize", "two.cu")
    ended = cli.run("reject", "P")
    assert ended.code == 2 and "P" in ended.err
    assert len(cli.open_proposals()) == 2


def test_what_cannot_be_decided_twice_says_who_decided(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    assert cli.run("reject", offered["id"]).code == 0
    again = cli.run("reject", offered["id"])
    assert again.code == 2 and "already rejected by cli " in again.err
    late = cli.run("accept", offered["id"])
    assert late.code == 2 and "rejected" in late.err
    assert source.read_text("utf-8") == ORIGINAL
    assert cli.run("undo", offered["id"]).code == 2


def test_of_two_processes_that_decide_one_wins_and_the_other_is_told(cli: Cli, source: Path) -> None:
    offered = _offer(cli, source)
    accepting, rejecting = (cli.start(word, offered["id"]) for word in ("accept", "reject"))
    accepted, rejected = finish(accepting), finish(rejecting)
    assert sorted((accepted.code, rejected.code)) == [0, 2], accepted.said + rejected.said
    is_accepted = accepted.code == 0
    loser = rejected if is_accepted else accepted
    winner_pid = (accepting if is_accepted else rejecting).pid
    assert f"by cli {winner_pid}" in loser.err or "not open" in loser.err
    assert (source.read_text("utf-8") != ORIGINAL) == is_accepted
    (shown,) = cli.run("proposals", "--all", "--json").events
    assert shown["state"] == ("accepted" if is_accepted else "rejected")


def test_two_processes_write_one_memory_and_lose_nothing(cli: Cli, source: Path) -> None:
    other = cli.write("two.cu", TWO_HUNKS)
    jobs = [cli.start("optimize", path, "--json") for path in (source, other)]
    ended = [finish(job) for job in jobs]
    assert [one.code for one in ended] == [0, 0], ended
    offered = {one.one("proposal")["id"] for one in ended}
    assert {found["id"] for found in cli.open_proposals()} == offered
    for one, path in zip(ended, (source, other), strict=True):
        tried = {event["candidate"] for event in one.all("candidate")}
        assert tried and len(tried) <= len(cli.run("history", path, "--limit", "99", "--json").events)


def _offer(cli: Cli, source: Path) -> dict[str, Any]:
    """The one proposal for a source."""
    return cli.run("optimize", source, "--json").one("proposal")


def _step(plan: dict[str, Any], technique: str) -> dict[str, Any]:
    return next(step for step in plan["steps"] if step["technique"] == technique)


TWO_HUNKS = """#include <cstdio>
__global__ void soften(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    for (int round = 0; round < 4; round++)
        x = x * 0.7 + 1.1;
    float low = x;
    if (low < 0.0f) low = 0.0f;
    float high = x;
    if (high > 9.0f) high = 9.0f;
    x = low + high;
    if (i == 0) x = x + 1.0f;
    for (int round = 0; round < 4; round++)
        x = x * 0.3 + 0.9;
    out[i] = x;
}

int main()
{
    const int n = 100000;
    static float host[n];
    for (int i = 0; i < n; i++) host[i] = (float)(i % 23);
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    soften<<<(n + 255) / 256, 256>>>(out, in, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\\n", host[7]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
"""
