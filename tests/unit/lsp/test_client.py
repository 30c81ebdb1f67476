"""What a client says of itself is taken as far as it makes sense."""

from __future__ import annotations

from typing import Any, cast

import pytest
from lsprotocol import types

from lsp.client import Client
from lsp.server import KernelOptServer


def introduced(options: object) -> Client:
    client = Client(cast(KernelOptServer, None))
    client.introduce(types.InitializeParams(types.ClientCapabilities(), initialization_options={"kernelopt": options}))
    return client


def test_a_client_of_ours_names_what_it_supports() -> None:
    client = introduced({"protocol": 1, "supports": ["event", "diff"]})
    assert client.is_ours and client.supports("event") and client.supports("diff") and not client.supports("lines")


@pytest.mark.parametrize("supports", [None, True, 5, "events", {"event": True}])
def test_a_client_that_says_it_wrongly_supports_nothing(supports: Any) -> None:
    client = introduced({"protocol": 1, "supports": supports})
    assert client.is_ours and not client.supports("event")
