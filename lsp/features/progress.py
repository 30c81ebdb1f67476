"""``window/workDoneProgress/cancel``: the cross in the editor's progress ends the job. ``$/progress``: its model's answer, as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel(params: types.WorkDoneProgressCancelParams) -> None:
        """A progress' token is its job's id."""
        server.editor.cancel(str(params.token))

    @server.feature(types.PROGRESS)
    def progress(params: types.ProgressParams) -> None:
        """A request's token is its id."""
        server.model.heard(str(params.token), params.value)
