"""``workspace/executeCommand``: each takes one object and answers at once; work goes to a job (models-of-design F1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from assistant.editor.tasks import Verb
from assistant.engine.request import OptimizeOptions
from assistant.errors import KernelOptError
from assistant.model.workload import CaseKey
from assistant.record import Record
from lsp import proposals
from lsp.units import Unit
from lsp.verifying import verify

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["SourceArguments", "VerifyArguments", "answered", "register", "source_unit"]

_REQUEST_FAILED = -32803
"""LSP's ``RequestFailed``: the request was valid, but it failed."""


class SourceArguments(Record):
    """A document, and a kernel in it."""

    uri: str
    kernel: str | None = None
    finding: str | None = None
    """Only edits that answer this finding."""
    line: int | None = None
    source: str | None = None
    """Which CUDA text of the document, as lenses and actions name it; None: the one that holds the kernel."""


class VerifyArguments(Record):
    """What is verified: the document's text against an earlier one of it, or a proposal once more."""

    uri: str
    kernel: str | None = None
    source: str | None = None
    before: str | None = None
    """The earlier text of the whole document."""
    proposal_id: str | None = None
    seeds: tuple[int, ...] = ()
    """Of the verification that ``cases`` are of, in its order; empty: fresh ones."""
    cases: tuple[CaseKey, ...] = ()
    """Empty: all."""


class JobArguments(Record):
    job_id: str


class ProposalArguments(Record):
    proposal_id: str
    hunk_ids: tuple[str, ...] = ()
    reason_code: str | None = None
    reason: str | None = None


def register(server: KernelOptServer) -> None:
    for name, verb in (("check", Verb.CHECK), ("profile", Verb.PROFILE), ("optimize", Verb.OPTIMIZE)):
        _register_job(server, f"kernelopt.{name}", verb)

    @server.command("kernelopt.job.cancel")
    def cancel(arguments: JobArguments) -> dict[str, Any]:
        return {"is_cancelled": server.editor.cancel(arguments.job_id)}

    @server.command("kernelopt.kernel.explain")
    def explain_kernel(arguments: SourceArguments) -> dict[str, Any]:
        return answered(lambda: proposals.explain_kernel(server, source_unit(server, arguments), arguments.kernel))

    @server.command("kernelopt.workload.init")
    def init(arguments: SourceArguments) -> dict[str, Any]:
        return answered(lambda: proposals.declare_workload(server, source_unit(server, arguments), arguments.kernel))

    @server.command("kernelopt.verify")
    def verify_cases(arguments: VerifyArguments) -> dict[str, Any]:
        unit = source_unit(server, SourceArguments(arguments.uri, arguments.kernel, source=arguments.source))
        return answered(lambda: verify(server, unit, arguments))

    _register_proposal_commands(server)


def _register_job(server: KernelOptServer, name: str, verb: Verb) -> None:
    @server.command(name)
    def start(arguments: SourceArguments) -> dict[str, Any]:
        unit = source_unit(server, arguments)
        options = OptimizeOptions(only_finding=arguments.finding, editor_settings=server.configuration.given)
        return answered(lambda: {"job_id": server.editor.ask(unit.key, verb, arguments.kernel, options)})


def _register_proposal_commands(server: KernelOptServer) -> None:
    @server.command("kernelopt.proposal.preview")
    def preview(arguments: ProposalArguments) -> dict[str, Any]:
        return answered(lambda: proposals.preview(server, arguments.proposal_id))

    @server.command("kernelopt.proposal.explain")
    def explain(arguments: ProposalArguments) -> dict[str, Any]:
        return answered(lambda: proposals.explain(server, arguments.proposal_id))

    @server.command("kernelopt.proposal.edit")
    def edit(arguments: ProposalArguments) -> dict[str, Any]:
        return answered(lambda: proposals.edit(server, arguments.proposal_id))

    @server.command("kernelopt.proposal.accept")
    def accept(arguments: ProposalArguments) -> dict[str, Any]:
        return answered(lambda: proposals.accept(server, arguments.proposal_id, arguments.hunk_ids))

    @server.command("kernelopt.proposal.reject")
    def reject(arguments: ProposalArguments) -> dict[str, Any]:
        return answered(lambda: proposals.reject(server, arguments.proposal_id, arguments.reason_code, arguments.reason))


def source_unit(server: KernelOptServer, arguments: SourceArguments) -> Unit:
    """The source that is meant: the document's only one, or the one that holds the kernel."""
    units = [unit for unit in server.units.of(arguments.uri) if arguments.source in (None, unit.key)]
    for unit in units:
        keys = {kernel.key for kernel in server.editor.view(unit.key).kernels} if len(units) > 1 else set[str]()
        if arguments.kernel is None or len(units) == 1 or arguments.kernel in keys:
            return unit
    raise JsonRpcException(f"{arguments.uri} holds no CUDA source that is open", _REQUEST_FAILED)


def answered(run: Any) -> dict[str, Any]:
    """The answer of ``run``; what it raises on purpose becomes the request's error, with the way out."""
    try:
        return run()
    except KernelOptError as error:
        told = f"{error.message}; {error.remedy}" if error.remedy else error.message
        raise JsonRpcException(told, _REQUEST_FAILED) from error
