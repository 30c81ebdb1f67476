"""What the server offers: `initialize` is answered from these tables, before any feature is loaded.

`lsp.features` registers exactly these; a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

__all__ = ["COMMANDS", "METHODS", "NOTEBOOK_SYNC", "QUICK_FIX", "REWRITE", "SCHEME"]

SCHEME = "kernelopt"
"""URI scheme of previews, which are read-only documents."""
QUICK_FIX = "quickfix.kernelopt"
REWRITE = "refactor.rewrite.kernelopt"

METHODS: Mapping[str, object] = {
    types.INITIALIZED: None,
    types.SHUTDOWN: None,
    types.PROGRESS: None,
    types.TEXT_DOCUMENT_DID_OPEN: None,
    types.TEXT_DOCUMENT_DID_CHANGE: None,
    types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(include_text=False),
    types.TEXT_DOCUMENT_DID_CLOSE: None,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: None,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: None,
    types.NOTEBOOK_DOCUMENT_DID_SAVE: None,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: None,
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=[QUICK_FIX, REWRITE]),
    types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensOptions(resolve_provider=False),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=["."]),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: types.DocumentSymbolOptions(label="kernelopt"),
    types.TEXT_DOCUMENT_HOVER: None,
    types.TEXT_DOCUMENT_INLAY_HINT: types.InlayHintOptions(resolve_provider=False),
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: None,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: None,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: None,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: None,
    types.WORKSPACE_TEXT_DOCUMENT_CONTENT: None,
    "kernelopt/lines": None,
    "kernelopt/list": None,
    "kernelopt/memory": None,
    "kernelopt/report": None,
    "kernelopt/status": None,
    "kernelopt/trustChanged": None,
}
"""Method → its options, None where it has none."""

COMMANDS = (
    "kernelopt.check",
    "kernelopt.profile",
    "kernelopt.optimize",
    "kernelopt.verify",
    "kernelopt.job.cancel",
    "kernelopt.consent.ask",
    "kernelopt.question.answer",
    "kernelopt.kernel.explain",
    "kernelopt.kernel.open",
    "kernelopt.workload.init",
    "kernelopt.program.choose",
    "kernelopt.program.record",
    "kernelopt.program.configure",
    "kernelopt.proposal.preview",
    "kernelopt.proposal.explain",
    "kernelopt.proposal.edit",
    "kernelopt.proposal.accept",
    "kernelopt.proposal.skip",
    "kernelopt.proposal.reject",
    "kernelopt.proposal.reopen",
    "kernelopt.pair.start",
    "kernelopt.pair.suggest",
    "kernelopt.pair.constrain",
    "kernelopt.pair.why",
    "kernelopt.pair.back",
    "kernelopt.pair.stop",
)

NOTEBOOK_SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            cells=[types.NotebookCellLanguage(language) for language in ("python", "cuda-cpp", "cuda")],
        )
    ],
    save=True,
)
