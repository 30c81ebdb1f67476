"""Deciding on proposals: the file changes on accept only, and every decision is remembered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.memory import open_store
from tests.e2e.cli.harness import Cli, finish, quick_text
from tests.e2e.cli.terminal import Terminal
from tests.e2e.conftest import Offered


def test_optimize_changes_no_file_without_the_option_to_accept(offered: Offered) -> None:
    assert offered.text == offered.original
    assert [path.name for path in offered.cli.folder.iterdir()] == ["transpose.cu"]
    assert [found["state"] for found in offered.cli.open_proposals()] == ["open"]


def test_an_accepted_proposal_stands_in_the_file_and_can_be_undone(offered: Offered) -> None:
    cli, source = offered.cli, offered.source
    source.chmod(0o640)
    assert cli.run("accept", offered.id).code == 0
    accepted = offered.text
    assert accepted != offered.original and "__syncthreads();" in accepted
    assert source.stat().st_mode & 0o777 == 0o640
    assert cli.run("check", source).code == 0
    assert cli.open_proposals() == []
    assert cli.run("undo", offered.id).code == 0
    assert offered.text == offered.original
    assert [found["state"] for found in cli.open_proposals()] == ["undone"]
    assert cli.run("accept", offered.id[:20]).code == 0
    assert offered.text == accepted


@pytest.mark.thorough
def test_accept_best_takes_nothing_while_the_models_error_is_unmeasured(cli: Cli) -> None:
    source = cli.small("transpose.cu")
    original = source.read_text("utf-8")
    ended = cli.run("optimize", source, "--accept", "best", "--json")
    assert (ended.code, ended.all("decision")) == (0, [])
    assert ended.one("proposal")["speed"]["low"] is None
    assert source.read_text("utf-8") == original


@pytest.mark.thorough
def test_accept_best_predicted_takes_it_and_a_second_run_finds_nothing_more(cli: Cli) -> None:
    source = cli.small("transpose.cu")
    original = source.read_text("utf-8")
    first = cli.run("optimize", source, "--accept", "best-predicted", "--json")
    assert (first.code, first.one("decision")["kind"]) == (0, "accepted")
    accepted = source.read_text("utf-8")
    assert accepted != original
    second = cli.run("optimize", source, "--accept", "best-predicted", "--json")
    assert (second.code, second.all("proposal")) == (0, [])
    assert source.read_text("utf-8") == accepted


@pytest.mark.thorough
def test_a_rejected_technique_ranks_lower_and_the_plan_says_why(offered: Offered) -> None:
    cli, technique = offered.cli, offered.proposal["techniques"][0]
    ended = cli.run("reject", offered.id, "--reason-code", "readability", "--reason", "a tile is hard to read here")
    assert ended.code == 0 and "a tile is hard to read here" in ended.out
    assert offered.text == offered.original
    offered.source.write_text(offered.original.replace("    int x =", "    // x runs along rows\n    int x ="), "utf-8")
    second = cli.run("optimize", offered.source, "--json")
    before, after = _step(offered.plan, technique), _step(second.all("plan")[0], technique)
    assert after["rank"] < before["rank"]
    assert not before["recalled"]
    assert any("rejected" in sentence and "hard to read" in sentence for sentence in after["recalled"]), after["recalled"]


def test_history_shows_attempts_and_decisions(offered: Offered) -> None:
    offered.cli.run("reject", offered.id, "--reason", "not now")
    said = offered.cli.run("history", offered.source).out
    assert "staged store" in said and "kept" in said
    assert "P1 rejected" in said and "not now" in said


@pytest.mark.thorough
def test_a_decided_proposal_is_replayed_on_its_recording_until_that_is_removed(offered: Offered) -> None:
    cli = offered.cli
    cli.run("reject", offered.id, "--reason", "not now")
    offered.source.write_text(offered.original.replace("int x =", "int x = 0 *"), "utf-8")
    replayed = cli.run("history", "replay", offered.id[:20], "--json")
    assert replayed.code == 0, replayed.said
    (verdict,) = replayed.all("comparison")
    assert (verdict["verification"]["outcome"], verdict["confirmed"]) == ("PASS", True)
    assert verdict["kernel"] == offered.proposal["kernel"] and "judged again on the recording" in replayed.all("message")[0]["message"]
    with open_store(cli.home / "memory.sqlite3") as store:
        store.keep_recording(offered.id, cast("Path", store.restore_recording(offered.id, cli.home / "restored")), 0, now_ms=1)
    refused = cli.run("history", "replay", offered.id)
    removed = "P1 is not replayable: its recording was removed to keep within memory.recordings_bytes"
    assert refused.code == 3 and removed in refused.err, refused.said
    unknown = cli.run("history", "replay", "P9")
    assert unknown.code == 2 and "there is no proposal P9" in unknown.err


def test_show_shows_the_diff_and_who_decided(offered: Offered) -> None:
    offered.cli.run("reject", offered.id, "--reason", "not now")
    said = offered.cli.run("show", offered.id).out
    assert offered.proposal["diff"].strip() in said
    assert "rejected by cli " in said and "not now" in said


def test_one_hunk_that_cannot_stand_alone_is_judged_and_refused(offered: Offered) -> None:
    ended = offered.cli.run("accept", offered.id, "--hunk", offered.proposal["hunk_ids"][1])
    assert ended.code == 1
    assert "FAIL" in ended.out
    assert offered.text == offered.original
    assert [found["state"] for found in offered.cli.open_proposals()] == ["open"]


@pytest.mark.thorough
def test_one_hunk_that_can_stand_alone_is_judged_and_written(cli: Cli) -> None:
    source = cli.write("two.cu", TWO_HUNKS)
    proposal = cli.run("optimize", source, "--json").one("proposal")
    assert len(proposal["hunk_ids"]) == 2, proposal["diff"]
    ended = cli.run("accept", proposal["id"], "--hunk", proposal["hunk_ids"][1][:6], "--json")
    assert ended.code == 0, ended.said
    assert ended.one("comparison")["confirmed"]
    assert ended.one("decision")["kind"] == "partially_accepted"
    assert ended.one("decision")["hunk_ids"] == [proposal["hunk_ids"][1]]
    written = source.read_text("utf-8")
    changed = [new for old, new in zip(TWO_HUNKS.splitlines(), written.splitlines(), strict=True) if old != new]
    assert len(changed) == 1 and "0.3f" in changed[0]
    assert cli.run("undo", proposal["id"]).code == 0
    assert source.read_text("utf-8") == TWO_HUNKS


@pytest.mark.thorough
def test_hunks_are_taken_one_by_one_on_a_terminal(cli: Cli) -> None:
    source = cli.write("two.cu", TWO_HUNKS)
    with Terminal(cli, "optimize", source) as terminal:
        terminal.read_until("[a]ccept, [h]unks, [r]eject, decide [l]ater")
        terminal.type("h\n")
        terminal.read_until("take it? y, n (y)")
        assert "two.cu line 8" in terminal.seen and re.search(r"-\s+x = x \* 0\.7 \+ 1\.1;", terminal.seen), "the hunk is shown"
        shown = len(terminal.seen)
        terminal.type("maybe\n")
        terminal.read_until("please type one of: y, n")
        terminal.type("n\n")
        terminal.read_until("two.cu line 16")
        terminal.type("y\n")
        assert terminal.wait() == 0, terminal.seen
        assert "partially accepted" in terminal.seen[shown:]
    changed = [new for old, new in zip(TWO_HUNKS.splitlines(), source.read_text("utf-8").splitlines(), strict=True) if old != new]
    assert len(changed) == 1 and "0.3f" in changed[0]
    assert [found["state"] for found in cli.run("proposals", "--all", "--json").events] == ["accepted"]


def test_an_unknown_hunk_is_misuse_and_names_the_known_ones(offered: Offered) -> None:
    ended = offered.cli.run("accept", offered.id, "--hunk", "zz")
    assert ended.code == 2 and offered.proposal["hunk_ids"][0] in ended.err


def test_an_unknown_reason_code_is_misuse_and_names_the_known_ones(offered: Offered) -> None:
    ended = offered.cli.run("reject", offered.id, "--reason-code", "mood")
    assert ended.code == 2 and "readability" in ended.err
    assert len(offered.cli.open_proposals()) == 1


@pytest.mark.thorough
def test_an_edit_elsewhere_is_kept_and_the_proposal_is_judged_again(offered: Offered) -> None:
    cli = offered.cli
    edited = offered.original.replace("int main()", "int my_own;\nint main()")
    offered.source.write_text(edited, "utf-8")
    ended = cli.run("accept", offered.id)
    assert ended.code == 1 and "nothing was written" in ended.out.splitlines()[-1], ended.said
    assert "judged again" in ended.out and "+++" not in ended.out, "the diff was seen when it was first offered"
    assert offered.text == edited, "nothing is written before the new proposal is accepted"
    (fresh,) = cli.open_proposals()
    assert fresh["id"] != offered.id and "P2" in ended.out
    assert cli.run("accept", fresh["id"]).code == 0
    assert "int my_own;" in offered.text and "__syncthreads();" in offered.text
    assert cli.run("check", offered.source).code == 0


def test_what_is_judged_again_runs_as_it_did_for_the_search(cli: Cli) -> None:
    source = cli.small("transpose.cu")
    needs_one = re.sub(r"int main\(\)\s*\{", "int main(int argc, char **) {\n  if (argc < 2) return 1;", source.read_text("utf-8"))
    assert "argc < 2" in needs_one
    source.write_text(needs_one, "utf-8")
    found = cli.run("optimize", source, "--json", "--", "300").one("proposal")
    source.write_text(needs_one.replace("int main", "int my_own;\nint main"), "utf-8")
    accepted = cli.run("accept", found["id"])
    assert accepted.code == 1 and "judged again" in accepted.out and "and waits as" in accepted.out, accepted.said


def test_an_edit_in_the_same_place_makes_the_proposal_stale(offered: Offered) -> None:
    edited = offered.original.replace("= in[y * width + x];", "= 2 * in[y * width + x];")
    assert edited != offered.original
    offered.source.write_text(edited, "utf-8")
    ended = offered.cli.run("accept", offered.id)
    assert ended.code == 3 and "changed where" in ended.err and "try:" in ended.err
    assert offered.text == edited
    assert offered.cli.open_proposals() == []


def test_undo_refuses_when_the_file_moved_on(offered: Offered) -> None:
    offered.cli.run("accept", offered.id)
    moved = offered.text + "int more;\n"
    offered.source.write_text(moved, "utf-8")
    ended = offered.cli.run("undo", offered.id)
    assert ended.code == 3 and "changed after" in ended.err
    assert offered.text == moved


def test_a_file_that_is_gone_is_misuse(offered: Offered) -> None:
    offered.source.unlink()
    ended = offered.cli.run("accept", offered.id)
    assert ended.code == 2 and "does not exist" in ended.err
    assert not offered.source.exists()


@pytest.mark.parametrize("command", ["show", "accept", "reject", "undo"])
def test_an_id_that_names_nothing_is_misuse(cli: Cli, command: str) -> None:
    ended = cli.run(command, "PNOSUCHID")
    assert ended.code == 2 and "PNOSUCHID" in ended.err


@pytest.mark.thorough
def test_a_prefix_that_means_two_proposals_is_misuse(offered: Offered) -> None:
    cli = offered.cli
    assert cli.run("optimize", cli.write("two.cu", quick_text())).code == 0
    ended = cli.run("reject", "P")
    assert ended.code == 2 and "P" in ended.err
    assert len(cli.open_proposals()) == 2


def test_what_cannot_be_decided_twice_says_who_decided(offered: Offered) -> None:
    cli = offered.cli
    assert cli.run("reject", offered.id).code == 0
    again = cli.run("reject", offered.id)
    assert again.code == 2 and "already rejected by cli " in again.err
    late = cli.run("accept", offered.id)
    assert late.code == 2 and "rejected" in late.err
    assert offered.text == offered.original
    assert cli.run("undo", offered.id).code == 0, "a rejection can be taken back"
    assert cli.run("undo", offered.id).code == 2
    assert offered.id in [proposal["id"] for proposal in cli.open_proposals()]


@pytest.mark.parametrize("_round", [0, *(pytest.param(further, marks=pytest.mark.thorough) for further in (1, 2))])
def test_of_two_processes_that_decide_one_wins_and_the_other_learns_it(offered: Offered, _round: int) -> None:
    accepting, rejecting = (offered.cli.start(word, offered.id) for word in ("accept", "reject"))
    accepted, rejected = finish(accepting), finish(rejecting)
    assert sorted((accepted.code, rejected.code)) == [0, 2], accepted.said + rejected.said
    is_accepted = accepted.code == 0
    loser, winner = (rejected, accepting) if is_accepted else (accepted, rejecting)
    assert f"by cli {winner.pid}" in loser.err
    assert (offered.text != offered.original) == is_accepted
    (shown,) = offered.cli.run("proposals", "--all", "--json").events
    assert shown["state"] == ("accepted" if is_accepted else "rejected")


@pytest.mark.thorough
def test_two_processes_write_one_memory_and_lose_nothing(cli: Cli) -> None:
    sources = cli.quick(), cli.write("two.cu", quick_text())
    jobs = [cli.start("optimize", path, "--json") for path in sources]
    ended = [finish(job) for job in jobs]
    assert [one.code for one in ended] == [0, 0], ended
    assert {found["id"] for found in cli.open_proposals()} == {one.one("proposal")["id"] for one in ended}
    for one, path in zip(ended, sources, strict=True):
        tried = {event["candidate"] for event in one.all("candidate")}
        assert tried and len(tried) <= len(cli.run("history", path, "--limit", "99", "--json").events)


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
    const int n = 40000;
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


@pytest.mark.thorough
def test_a_rejected_edit_is_not_offered_again_until_its_code_changes(offered: Offered) -> None:
    cli = offered.cli
    assert cli.run("reject", offered.id, "--reason", "too clever").code == 0
    again = cli.run("optimize", offered.source, "--json")
    assert again.code == 0 and again.all("proposal") == [], again.said
    (told,) = [event["message"] for event in again.all("message") if offered.id in event["message"]]
    assert "rejected on 20" in told and "too clever" in told and "not offered again" in told
    offered.source.write_text("// another line\n" + offered.original, "utf-8")
    assert cli.run("optimize", offered.source, "--json").all("proposal") == []
    offered.source.write_text(offered.original.replace("int x = b", "int x=b"), "utf-8")
    assert len(cli.run("optimize", offered.source, "--json").all("proposal")) == 1


def test_history_shows_only_what_was_decided_here(offered: Offered) -> None:
    cli = offered.cli
    cli.run("reject", offered.id, "--reason", "too clever")
    other = cli.write("other.cu", "__global__ void k() {}\n")
    assert cli.run("history", other).out == f"nothing was tried on {other} yet\n"
    elsewhere = cli.folder.with_name("elsewhere")
    elsewhere.mkdir(exist_ok=True)
    assert cli.run("history", folder=elsewhere).out == "nothing was tried in this workspace yet\n"
    assert "too clever" in cli.run("history", offered.source).out
