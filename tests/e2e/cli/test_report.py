"""``profile --report``: a report of Nsight Compute, read on a machine without a GPU, told like a run of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.harness import DATA, Cli

REPORTS = DATA / "reports"


def test_a_report_alone_is_reported_with_its_own_source(cli: Cli) -> None:
    ended = cli.run("profile", "--report", REPORTS / "transpose.ncu-rep", "--json")
    assert ended.code == 0, ended.said
    profile = ended.one("profile")
    assert (profile["method"], profile["device"]["name"], profile["device"]["kind"]) == ("ncu", "NVIDIA H200", "gpu")
    assert {line["grade"] for line in profile["lines"]} == {"exact"} and profile["stalls"]
    assert profile["findings"][0]["code"] == "KO101" and profile["findings"][0]["line"] == 11
    measured = {fact["metric"]: fact for fact in profile["evidence"] if fact["method"] == "ncu" and fact.get("line") is None}
    assert measured["l1_utilisation"]["unit"] == "ratio" and "profiled_duration" in measured
    assert ended.one("profile_summary")["launch_count"] == 1
    assert ended.one("machine_code")["lines"]


def test_a_report_is_tied_to_the_source_that_is_named(cli: Cli) -> None:
    source = cli.small("transpose.cu")
    page = cli.folder / "out.html"
    ended = cli.run("profile", source, "--report", REPORTS / "without_source.ncu-rep", "--html", page, "--json")
    assert ended.code == 0, ended.said
    assert {line["file"] for line in ended.one("profile")["lines"]} == {str(source)}
    assert "What warps wait for" in page.read_text("utf-8") and "Measured by ncu" in page.read_text("utf-8")
    assert 'data-line="11"' in page.read_text("utf-8")


def test_lines_of_a_source_that_is_not_at_hand_keep_their_numbers(cli: Cli) -> None:
    ended = cli.run("profile", "--report", REPORTS / "without_source.ncu-rep")
    assert ended.code == 0, ended.said
    assert "KO101 line 11" in ended.out and "warps waited in" in ended.out and "which is not a measured speed" in ended.out


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("other.cu", "--report", REPORTS / "transpose.ncu-rep"), 2, "is not about other.cu"),
        (("--report", REPORTS / "transpose.ncu-rep", "--kernel", "nothing"), 2, "has no kernel 'nothing'"),
        (("--report", REPORTS / "README.md"), 3, "holds no profiled kernel"),
        ((), 2, "name a source, or a report"),
    ],
)
def test_a_report_that_cannot_answer_says_why(cli: Cli, arguments: tuple[str | Path, ...], code: int, word: str) -> None:
    ended = cli.run("profile", *arguments)
    assert ended.code == code and word in " ".join(ended.said.split()), ended.said
