"""What the server's log leaves out: what is answered is no defect, and neither is a second thought that comes late."""

from __future__ import annotations

import asyncio
import logging

import pytest
from pygls.lsp.server import LanguageServer

from lsp.serving import is_defect


def test_a_request_that_is_cancelled_after_its_answer_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def cancel() -> None:
        server = LanguageServer("test", "1")
        server.protocol._handle_cancel_notification("7")  # pyright: ignore[reportPrivateUsage]

    with caplog.at_level(logging.WARNING, "pygls.protocol.json_rpc"):
        asyncio.run(cancel())
    (record,) = caplog.records
    assert "7" in record.getMessage() and not is_defect(record)
    assert is_defect(logging.LogRecord("pygls", logging.ERROR, "", 0, "something else", None, None))
