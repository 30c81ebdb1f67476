"""What a client says of itself is taken as far as it makes sense."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer

from assistant.config import ConsentAnswer, ProgramConsent
from lsp.client import Client


def introduced(options: object) -> Client:
    client = Client(cast(LanguageServer, None))
    client.introduce(types.InitializeParams(types.ClientCapabilities(), initialization_options={"kernelopt": options}))
    return client


def test_a_client_of_ours_names_what_it_supports() -> None:
    client = introduced({"protocol": 1, "supports": ["event", "diff"]})
    assert client.is_ours and client.supports("event") and client.supports("diff") and not client.supports("lines")


@pytest.mark.parametrize("supports", [None, True, 5, "events", {"event": True}])
def test_a_client_that_says_it_wrongly_supports_nothing(supports: Any) -> None:
    client = introduced({"protocol": 1, "supports": supports})
    assert client.is_ours and not client.supports("event")


class Asked:
    """Keeps what a client is asked and told, and answers nothing."""

    def __init__(self) -> None:
        self.questions: list[types.ShowMessageRequestParams] = []
        self.said: list[str] = []
        self.logged: list[str] = []

    async def window_show_message_request_async(self, params: types.ShowMessageRequestParams) -> None:
        self.questions.append(params)

    def window_show_message(self, params: types.ShowMessageParams) -> None:
        self.said.append(params.message)

    def window_log_message(self, params: types.LogMessageParams) -> None:
        self.logged.append(params.message)


def consent_asked(*command: str, flags: tuple[str, ...] = ()) -> tuple[types.ShowMessageRequestParams, Asked]:
    asked = Asked()
    asyncio.run(Client(cast(LanguageServer, asked)).ask_consent(ProgramConsent(Path("/w"), command, flags)))
    (question,) = asked.questions
    return question, asked


def titles(question: types.ShowMessageRequestParams) -> list[str]:
    return [item.title for item in question.actions or ()]


def test_the_question_of_consent_quotes_what_is_one_argument() -> None:
    question, _ = consent_asked("./run me", flags=("-DX=1; rm -r y",))
    assert "build and run './run me' with '-DX=1; rm -r y', to verify" in question.message
    assert "Once holds until the server ends, for edited text too; Always here is for this program alone. Run it?" in question.message
    assert titles(question) == ["Once", "Always here", "Never"]


def test_flags_that_no_message_holds_are_counted_and_logged_and_not_allowed_for_good() -> None:
    question, asked = consent_asked("a.cu", flags=("-DLONG=" + "x" * 2000, "--last"))
    assert (
        len(question.message) < 1000
        and "more characters: the log has the whole command" in question.message
        and "Run it?" in question.message
    )
    assert titles(question) == ["Once", "Never"]
    assert any("--last" in text for text in asked.logged)


class Silent(Asked):
    """Has no messages with answers, as Helix."""

    async def window_show_message_request_async(self, params: types.ShowMessageRequestParams) -> None:
        raise JsonRpcMethodNotFound


async def test_a_client_without_messages_that_ask_is_asked_by_code_actions() -> None:
    asked = Silent()
    client = Client(cast(LanguageServer, asked))
    changes: list[int] = []
    client.questions.on_change = lambda: changes.append(len(client.questions.open))
    asking = asyncio.create_task(client.ask_consent(ProgramConsent(Path("/w"), ("./run",), ())))
    await asyncio.sleep(0)
    (question,) = client.questions.open
    assert "build and run ./run, to verify" in question.message and question.answers == ("Once", "Always here", "Never")
    assert not client.questions.answer(question.id, "Sometimes") and not client.questions.answer("Q7", "Once")
    assert client.questions.answer(question.id, "Always here") and not client.questions.answer(question.id, "Never")
    assert await asking is ConsentAnswer.ALWAYS
    assert changes == [1, 0] and len(asked.said) == 1


def test_a_message_has_short_ids_but_for_names_of_files() -> None:
    asked = Asked()
    client = Client(cast(LanguageServer, asked))
    client.short_id = lambda _: "P1"
    long = "P01M7WGDQXK4T3YF0S6BHNC2ZRA"
    client.say(f"{long}: /w/.kernelopt/previews/{long}.diff")
    assert asked.said == [f"P1: /w/.kernelopt/previews/{long}.diff"]


def test_no_message_holds_a_link() -> None:
    asked = Asked()
    client = Client(cast(LanguageServer, asked))
    client.say("unknown setting [fix me](command:x)")
    asyncio.run(client.choose("[a](command:b).cu: run it?", ("Once",)))
    assert asked.said == ["unknown setting [fix me] (command:x)"] and "](" not in asked.questions[0].message
