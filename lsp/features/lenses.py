"""Code lenses over each kernel: commands first, then its figures, which may be too long for the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.picture import proposal_title
from assistant.editor.program_words import program_about, program_lens
from assistant.editor.view import KernelView, PairView
from assistant.editor.words import kernel_headline
from assistant.engine import FilePrograms
from lsp.backend import Backend
from lsp.units import Unit, Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        lenses: list[types.CodeLens] = []
        for unit in units.of(params.text_document.uri):
            backend.editor.look_at(unit.key)
            view = backend.editor.view(unit.key)
            kernels = view.kernels
            program = tuple(_program_lens(unit, view.programs, kernels[:1]))
            for kernel in kernels:
                is_alone = sum(other.line == kernel.line for other in kernels) == 1
                name = "" if is_alone else f"{kernel.name}: "
                lenses.extend(_lenses(unit, kernel, name, program if kernel is kernels[0] else ()))
                lenses.extend(lens for pair in view.pairs if pair.kernel == kernel.name for lens in _pair_lenses(unit, kernel, pair, name))
        return lenses


def _pair_lenses(unit: Unit, kernel: KernelView, pair: PairView, name: str) -> Iterator[types.CodeLens]:
    """The next commands, and the session's last answer."""
    place, source = unit.line_range(kernel.line), unit.arguments(kernel.key)
    for title, verb in (("Suggest", "suggest"), ("Stop pairing", "stop"), (name + pair.headline, "why")):
        yield types.CodeLens(place, types.Command(title, f"kernelopt.pair.{verb}", arguments=[source]))


def _program_lens(unit: Unit, programs: FilePrograms | None, first: Sequence[KernelView]) -> Iterator[types.CodeLens]:
    """Which program runs the kernels of the file, at its first one; a click chooses another."""
    title = program_lens(programs)
    for kernel in first if title is not None else ():
        arguments = unit.arguments(kernel.key)
        command = types.Command(title or "", "kernelopt.program.choose", program_about(programs), [arguments])
        yield types.CodeLens(unit.line_range(kernel.line), command)


def _lenses(unit: Unit, kernel: KernelView, name: str, program: Sequence[types.CodeLens]) -> Iterator[types.CodeLens]:
    """``name`` distinguishes kernels on the same line; ``program``: what stands between the commands and the figures."""
    place = unit.line_range(kernel.line)

    def lens(title: str, command: str, **arguments: Any) -> types.CodeLens:
        return types.CodeLens(place, types.Command(title, command, arguments=[arguments]))

    source = unit.arguments(kernel.key)
    yield lens(name + "Optimize", "kernelopt.optimize", **source)
    yield lens("Profile", "kernelopt.profile", **source)
    yield lens("Verify", "kernelopt.check", **source)
    if kernel.proposal is not None:
        proposal = {"proposal_id": kernel.proposal.id}
        yield lens(f"Proposal: {proposal_title(kernel.proposal)}", "kernelopt.proposal.preview", **proposal)
        yield lens("Accept", "kernelopt.proposal.accept", **proposal)
        yield lens("Reject", "kernelopt.proposal.reject", **proposal)
    yield from program
    yield lens(name + kernel_headline(kernel), "kernelopt.kernel.explain", **source)
