"""Commands on one kernel that start no job: ``kernelopt.kernel.explain`` and ``kernelopt.workload.init``."""

from __future__ import annotations

from typing import Any

from pygls.lsp.server import LanguageServer

from assistant.editor.words import kernel_page, line_page
from assistant.errors import UsageError
from lsp.arguments import SourceArguments, find_unit
from lsp.backend import Backend
from lsp.client import Client
from lsp.edits import DocumentEdits, NewText
from lsp.operators import task_page
from lsp.units import Units, file_of

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend, edits: DocumentEdits) -> None:
    @server.command("kernelopt.kernel.explain")
    def explain_kernel(arguments: SourceArguments) -> dict[str, Any]:
        """All that is known of a kernel, of one of its lines (1-based, of the CUDA text), or of a class of a PyTorch task: what a hover
        leaves out."""
        if arguments.op is not None:
            return explained(task_page(units, backend, arguments.uri, arguments.op))
        unit = find_unit(units, backend, arguments)
        view = backend.editor.view(unit.key)
        found = [k for k in view.kernels if arguments.kernel in (None, k.key)]
        if arguments.line is not None:
            text = line_page(view, arguments.line)
        elif found:
            text = kernel_page(found[0], view)
        else:
            raise UsageError(f"no kernel {arguments.kernel} in {unit.path.name}")
        return explained(text)

    def explained(text: str) -> dict[str, Any]:
        if not client.is_ours:
            client.say(text)
        return {"markdown": text}

    @server.command("kernelopt.kernel.open")
    def open_kernel(arguments: SourceArguments) -> dict[str, Any]:
        """Have the editor show a line (1-based) of a file, which need not be open: where a kernel of another file begins."""
        if client.shows_documents:
            client.show_document(arguments.uri, arguments.line)
        else:
            client.say(f"{arguments.kernel} is on line {arguments.line} of {file_of(arguments.uri, None)}")
        return {"outcome": "opening"}

    @server.command("kernelopt.workload.init")
    def init(arguments: SourceArguments) -> dict[str, Any]:
        """Have the editor put a workload block before the kernel."""
        from assistant.engine import initialized_text  # reads a kernel's shapes, which a start does not need

        unit = find_unit(units, backend, arguments)
        after = initialized_text(backend.editor.parsed(unit.key), arguments.kernel).text
        edits.ask((NewText(unit, after),), "the workload block", "kernelopt: declare a workload")
        return {"outcome": "applying"}
