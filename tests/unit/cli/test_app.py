"""Of the command line's application, only the command that is asked for is put together."""

from __future__ import annotations

import pytest
import typer

from assistant.cli.app import build_app
from assistant.cli.servers import Servers


def names(asked: str | None) -> set[str | None]:
    app: typer.Typer = build_app(Servers(lambda _: 0, lambda _: 0), asked)
    return {one.name for one in (*app.registered_commands, *app.registered_groups)}  # type: ignore[misc]


@pytest.mark.parametrize("asked", ["check", "memory"])
def test_a_command_that_is_named_stands_alone(asked: str) -> None:
    assert names(asked) == {asked}


@pytest.mark.parametrize("asked", [None, "chekc", "--version"])
def test_where_none_is_named_all_are_there(asked: str | None) -> None:
    assert {"check", "memory", "host"} < names(asked)
