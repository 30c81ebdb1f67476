"""Nothing is trusted until somebody says so, and only exactly that."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.config import ConsentAnswer, EndpointConsent, ProgramConsent, TrustOfThisRun, TrustStore
from assistant.errors import CannotAnswerError


@pytest.fixture
def trust(home: Path) -> TrustStore:
    return TrustStore(home / "trust.json")


@pytest.fixture
def run(workspace: Path) -> ProgramConsent:
    return ProgramConsent(workspace, ("./app", "1024"), ("-O3",), "ab" * 32)


def test_nothing_is_trusted_at_first(trust: TrustStore, workspace: Path) -> None:
    assert not trust.is_trusted(workspace)


def test_trust_covers_the_folder_and_what_is_in_it(trust: TrustStore, workspace: Path) -> None:
    trust.trust(workspace)
    assert trust.is_trusted(workspace)
    assert trust.is_trusted(workspace / "deep" / "inside")
    assert not trust.is_trusted(workspace.parent)
    assert not trust.is_trusted(workspace.with_name("workspace-2"))


def test_trust_is_remembered_by_the_next_process(trust: TrustStore, workspace: Path, home: Path) -> None:
    trust.trust(workspace)
    assert TrustStore(home / "trust.json").is_trusted(workspace)


def test_nothing_is_written_into_the_folder(trust: TrustStore, workspace: Path, run: ProgramConsent) -> None:
    trust.trust(workspace)
    trust.answer(run, ConsentAnswer.ALWAYS)
    assert list(workspace.iterdir()) == []


def test_revoking_inside_a_trusted_folder_holds_there_only(trust: TrustStore, workspace: Path) -> None:
    trust.trust(workspace)
    trust.revoke(workspace / "vendor")
    assert trust.is_trusted(workspace)
    assert not trust.is_trusted(workspace / "vendor" / "x")


def test_revoking_drops_what_was_allowed_inside(trust: TrustStore, workspace: Path, run: ProgramConsent) -> None:
    trust.trust(workspace / "inside")
    trust.answer(run, ConsentAnswer.ALWAYS)
    trust.revoke(workspace)
    assert not trust.is_trusted(workspace / "inside")
    assert trust.consent(run) is None


def test_a_link_in_a_trusted_folder_leads_to_an_untrusted_one(trust: TrustStore, workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace / "link").symlink_to(outside)
    trust.trust(workspace)
    assert not trust.is_trusted(workspace / "link")


def test_trusting_through_a_link_trusts_what_it_leads_to(trust: TrustStore, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(workspace)
    trust.trust(tmp_path / "link")
    assert trust.is_trusted(workspace)


@pytest.mark.parametrize("answer", [ConsentAnswer.ALWAYS, ConsentAnswer.NEVER])
def test_an_answer_for_good_is_remembered(trust: TrustStore, run: ProgramConsent, answer: ConsentAnswer) -> None:
    trust.answer(run, answer)
    assert trust.consent(run) is answer


def test_consent_to_send_source_is_for_one_workspace_and_endpoint(trust: TrustStore, workspace: Path, run: ProgramConsent) -> None:
    asked = EndpointConsent(workspace, "https://models.example/v1")
    trust.answer(asked, ConsentAnswer.NEVER)
    trust.answer(run, ConsentAnswer.ALWAYS)
    assert trust.consent(asked) is ConsentAnswer.NEVER
    assert trust.consent(run) is ConsentAnswer.ALWAYS
    assert trust.consent(replace(asked, endpoint="https://models.example/v2")) is None
    assert trust.consent(replace(asked, folder=workspace.parent)) is None
    trust.revoke(workspace)
    assert trust.consent(asked) is None


def test_an_answer_for_once_is_not(trust: TrustStore, run: ProgramConsent) -> None:
    trust.answer(run, ConsentAnswer.ONCE)
    assert trust.consent(run) is None


@pytest.mark.parametrize(
    "change",
    [
        {"command": ("./app", "2048")},
        {"command": ("./app 1024",)},
        {"flags": ("-O3", "-DX")},
        {"reference_sha256": None},
        {"folder": Path("/elsewhere")},
    ],
)
def test_a_changed_run_is_asked_about_again(trust: TrustStore, run: ProgramConsent, change: dict[str, object]) -> None:
    trust.answer(run, ConsentAnswer.ALWAYS)
    assert trust.consent(replace(run, **change)) is None


def test_a_damaged_trust_file_trusts_no_one_and_is_not_overwritten(trust: TrustStore, home: Path, workspace: Path) -> None:
    (home / "trust.json").write_text('{"folders": {"/": tru')
    for ask in (trust.is_trusted, trust.trust):
        with pytest.raises(CannotAnswerError, match="damaged") as caught:
            ask(workspace)
        assert "delete it" in caught.value.remedy
    assert (home / "trust.json").read_text() == '{"folders": {"/": tru'


def test_a_folder_name_that_is_not_unicode_can_be_trusted(trust: TrustStore, workspace: Path) -> None:
    odd = workspace / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    trust.trust(odd)
    assert trust.is_trusted(odd)
    assert not trust.is_trusted(workspace)


def test_processes_that_trust_at_once_lose_nothing(trust: TrustStore, home: Path, workspace: Path) -> None:
    folders = [workspace / str(index) for index in range(12)]
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        pool.map(TrustStore(home / "trust.json").trust, folders)
    assert all(trust.is_trusted(folder) for folder in folders)


def test_answers_of_a_run_are_not_kept_but_earlier_ones_count(trust: TrustStore, home: Path, workspace: Path, run: ProgramConsent) -> None:
    trust.trust(workspace)
    trust.answer(run, ConsentAnswer.ALWAYS)
    of_this_run = TrustOfThisRun(home / "trust.json")
    assert of_this_run.is_trusted(workspace) and of_this_run.consent(run) is ConsentAnswer.ALWAYS

    other = replace(run, flags=("-O0",))
    of_this_run.answer(other, ConsentAnswer.NEVER)
    assert of_this_run.consent(other) is ConsentAnswer.NEVER
    of_this_run.answer(run, ConsentAnswer.NEVER)
    assert of_this_run.consent(run) is ConsentAnswer.NEVER
    assert trust.consent(other) is None and trust.consent(run) is ConsentAnswer.ALWAYS


def test_only_the_user_can_read_it(trust: TrustStore, home: Path, workspace: Path) -> None:
    trust.trust(workspace)
    assert (home / "trust.json").stat().st_mode & 0o077 == 0
