"""`kernelopt proposals` lists what waits in a folder and in those below it, each by an id that means it there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.cli.ledger_answers import print_proposals
from assistant.errors import UsageError
from assistant.memory import open_store
from tests.contracts.stored import Given

OWN, INNER, ELSEWHERE = (f"P01M7WGD16{letter}PT7SHV51M65B2M5E" for letter in "ABC")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a marker, with a source and, below, a header; another folder besides. Each has one open proposal."""
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    project = tmp_path / "project"
    files = {OWN: project / "main.cu", INNER: project / "include" / "reduce.cuh", ELSEWHERE: tmp_path / "other" / "main.cu"}
    with open_store(tmp_path / "home" / "memory.sqlite3") as store:
        for proposal, file in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("__global__ void k() {}\n")
            store.add_proposal(file.parent, Given.proposal(proposal, path=file))
    monkeypatch.chdir(project)
    return project


@pytest.mark.usefixtures("project")
def test_those_of_folders_below_are_listed_and_no_others(capsys: pytest.CaptureFixture[str]) -> None:
    print_proposals(None, every_state=False, as_json=True)
    assert {json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()} == {OWN, INNER}


@pytest.mark.usefixtures("project")
def test_an_id_that_means_another_here_is_given_by_its_first_letters(capsys: pytest.CaptureFixture[str]) -> None:
    print_proposals(None, every_state=False, as_json=False)
    rows = {line.split()[-1]: line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]}
    assert rows == {"main.cu": "P1", "reduce.cuh": "P01M7WGD16B"}


def test_of_one_file_its_own_are_listed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_proposals(project / "include" / "reduce.cuh", every_state=False, as_json=True)
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == [INNER]


def test_where_two_folders_below_have_one_of_that_number_both_are_listed(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.parent)
    print_proposals(None, every_state=False, as_json=False)
    rows = capsys.readouterr().out.splitlines()[1:]
    assert sorted(row.split()[0] for row in rows) == ["P01M7WGD16A", "P01M7WGD16B", "P01M7WGD16C"]
    with open_store(project.parent / "home" / "memory.sqlite3") as store, pytest.raises(UsageError) as refused:
        store.find_proposal("P1", project.parent)
    assert refused.value.remedy == "give the first letters of its long id: P01M7WGD16A, P01M7WGD16B, P01M7WGD16C"
