"""``window/workDoneProgress/cancel`` ends a job, ``$/progress`` brings the answer of the editor's model piece by piece."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lsp.backend import Backend
from lsp.models import EditorModel

__all__ = ["register"]


def register(server: LanguageServer, backend: Backend, model: EditorModel) -> None:
    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel(params: types.WorkDoneProgressCancelParams) -> None:
        """A progress' token is its job's id."""
        backend.editor.cancel(str(params.token))

    @server.feature(types.PROGRESS)
    def progress(params: types.ProgressParams) -> None:
        """A request's token is its id."""
        model.heard(str(params.token), params.value)
