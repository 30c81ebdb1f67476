"""Code lenses over each kernel, and over the classes of a PyTorch task: the rows of `assistant.editor`, each lens with its command."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.lens_row import Lens, LensAction, kernel_row, program_row
from assistant.editor.view import KernelView
from lsp.backend import Backend
from lsp.operators import task_lenses
from lsp.units import Unit, Units

__all__ = ["register"]

_COMMANDS = {
    LensAction.EXPLAIN: "kernelopt.kernel.explain",
    LensAction.CHECK: "kernelopt.check",
    LensAction.PROFILE: "kernelopt.profile",
    LensAction.OPTIMIZE: "kernelopt.optimize",
    LensAction.REVIEW: "kernelopt.proposal.preview",
    LensAction.ACCEPT: "kernelopt.proposal.accept",
    LensAction.PROGRAM: "kernelopt.program.choose",
    LensAction.DECLARE: "kernelopt.workload.init",
    LensAction.OPEN: "kernelopt.kernel.open",
    LensAction.CONSENT: "kernelopt.consent.ask",
    LensAction.PAIR_WHY: "kernelopt.pair.why",
    LensAction.PAIR_SUGGEST: "kernelopt.pair.suggest",
    LensAction.PAIR_STOP: "kernelopt.pair.stop",
}
_MAIN = re.compile(r"^[^/\n]*\bmain\s*\(", re.MULTILINE)
_ON_PROPOSALS = (LensAction.REVIEW, LensAction.ACCEPT)


def register(server: LanguageServer, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        lenses: list[types.CodeLens] = [*task_lenses(units, backend, params.text_document.uri)]
        for unit in units.of(params.text_document.uri):
            backend.editor.look_at(unit.key)
            view = backend.editor.view(unit.key)
            for kernel in view.kernels:
                lenses.extend(_placed(unit, kernel, lens) for lens in kernel_row(kernel, view))
            lenses.extend(_over_main(unit, lens) for lens in program_row(view))
        return list(_in_order(lenses))


def _in_order(lenses: Iterable[types.CodeLens]) -> Iterator[types.CodeLens]:
    """Lenses over the same line begin a character apart: Neovim sorts by where they begin, and leaves equal ones in any order."""
    shown: Counter[int] = Counter()
    for lens in lenses:
        start, end = lens.range.start, lens.range.end
        begin = types.Position(start.line, start.character + shown[start.line])
        shown[start.line] += 1
        yield types.CodeLens(types.Range(begin, max(begin, end)), lens.command, lens.data)


def _placed(unit: Unit, kernel: KernelView, lens: Lens) -> types.CodeLens:
    arguments: dict[str, Any] = unit.arguments(kernel.key)
    if lens.action in _ON_PROPOSALS and kernel.proposal is not None:
        arguments = {"proposal_id": kernel.proposal.id}
    if lens.line is not None:
        arguments = {"uri": unit.uri, "kernel": kernel.key, "line": unit.line_range(lens.line).start.line + 1}
    command = types.Command(unit.said(lens.title), _COMMANDS[lens.action], unit.said(lens.tooltip) or None, [arguments])
    return types.CodeLens(unit.line_range(kernel.line), command)


def _over_main(unit: Unit, lens: Lens) -> types.CodeLens:
    found = _MAIN.search(unit.text)
    line = 1 if found is None else unit.text.count("\n", 0, found.end()) + 1
    place, arguments = lens.place, dict[str, Any](uri=unit.uri)
    if place is not None:
        arguments = {"uri": place.file.as_uri(), "kernel": place.name, "line": place.line}
    return types.CodeLens(unit.line_range(line), types.Command(lens.title, _COMMANDS[lens.action], lens.tooltip, [arguments]))
