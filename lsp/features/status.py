"""``kernelopt/status`` and ``kernelopt/trustChanged``, for clients that announced them."""

from __future__ import annotations

from typing import Any

from pygls.lsp.server import LanguageServer

from assistant.editor.compile_words import compile_error, refusal_in_words
from assistant.engine import event_object
from lsp.backend import Backend
from lsp.client import Client, as_object, plain
from lsp.settings import EditorConfiguration
from lsp.units import Units

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend, configuration: EditorConfiguration) -> None:
    @server.feature("kernelopt/status")
    def status(_: Any) -> dict[str, Any]:
        """Jobs of this server, running first; where they run; what the last model job has spent."""
        editor = backend.editor
        started, spent = editor.last_started(), editor.spent
        return {
            "jobs": _jobs(units, backend),
            "device": None if started is None else started.device,
            "rung": None if started is None else started.rung,
            "budget": None if spent is None else event_object(spent),
            "is_trusted": client.is_trusted,
            "problem": configuration.problem,
            "refused": _refused(units, backend),
        }

    @server.feature("kernelopt/trustChanged")
    def trust_changed(params: Any) -> None:
        """``{trusted}``: the editor's workspace was trusted, or no longer is."""
        backend.trust_changed(as_object(plain(params)).get("trusted") is True)


def _refused(units: Units, backend: Backend) -> list[str]:
    """Of each open source that compilers refuse: ``stencil.cu does not compile: line 9: expected a ";"``."""
    found = ((unit, compile_error(backend.editor.view(unit.key).notes)) for uri in units.uris() for unit in units.of(uri))
    return [unit.said(f"{unit.path.name} {refusal_in_words(error)}") for unit, error in found if error is not None]


def _jobs(units: Units, backend: Backend) -> list[dict[str, Any]]:
    running = backend.editor.queues.running
    return [
        {
            "job_id": work.id,
            "uri": work.key if (unit := units.find(work.key)) is None else unit.uri,
            "command": work.task.verb.value,
            "kernel": work.task.request.kernel,
            "is_background": work.is_background,
            "is_running": work.id in running,
            "waits_for": backend.editor.queues.reason_to_wait(work),
        }
        for work in backend.editor.works()
    ]
