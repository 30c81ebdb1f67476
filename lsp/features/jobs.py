"""Commands that start a job or cancel one: ``kernelopt.check``, ``profile``, ``optimize``, ``verify``, ``job.cancel``, ``consent.ask``,
``question.answer``.

A command takes one object and answers at once, or as soon as the editor has sent its settings; the work itself is a job.
"""

from __future__ import annotations

from typing import Any

from pygls.lsp.server import LanguageServer

from assistant.editor.tasks import Verb
from assistant.engine import OptimizeOptions
from assistant.errors import UsageError
from lsp.arguments import JobArguments, OptimizeArguments, QuestionArguments, SourceArguments, VerifyArguments, find_unit
from lsp.backend import Backend
from lsp.client import Client
from lsp.settings import EditorConfiguration
from lsp.units import Unit, Units
from lsp.verifying import verify

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend, configuration: EditorConfiguration) -> None:
    def register_job(name: str, verb: Verb) -> None:
        @server.command(name)
        async def start(arguments: SourceArguments) -> dict[str, Any]:
            await configuration.arrived()
            if arguments.op is not None:
                return {"job_id": await backend.operators.ask(arguments.uri, verb)}
            unit = find_unit(units, backend, arguments)
            options = OptimizeOptions(editor_settings=configuration.given)
            return {"job_id": backend.editor.ask(unit.key, verb, arguments.kernel, options, arguments.region)}

    for name, verb in (("check", Verb.CHECK), ("profile", Verb.PROFILE)):
        register_job(f"kernelopt.{name}", verb)

    @server.command("kernelopt.optimize")
    async def optimize(arguments: OptimizeArguments) -> dict[str, Any]:
        await configuration.arrived()
        if arguments.op is not None:
            return {"job_id": await backend.operators.ask(arguments.uri, Verb.OPTIMIZE)}
        unit = find_unit(units, backend, arguments)
        options = OptimizeOptions(only_finding=arguments.finding, editor_settings=configuration.given)

        def ask(kernel: str | None) -> str:
            return backend.editor.ask(unit.key, Verb.OPTIMIZE, kernel, options, arguments.region)

        if arguments.before is None:
            return {"job_id": ask(arguments.kernel)}
        return {"job_ids": [ask(kernel) for kernel in _changed(backend, unit, arguments.before)]}

    @server.command("kernelopt.verify")
    async def verify_cases(arguments: VerifyArguments) -> dict[str, Any]:
        await configuration.arrived()
        return verify(backend, find_unit(units, backend, arguments), arguments)

    @server.command("kernelopt.consent.ask")
    async def ask_consent(arguments: SourceArguments) -> dict[str, Any]:
        """Ask now what is asked quietly: whether the program of a source may run."""
        key = find_unit(units, backend, arguments).key if arguments.op is None else arguments.uri
        client.spawn(backend.editor.queues.ask_again(key))
        return {"outcome": "asking"}

    @server.command("kernelopt.question.answer")
    def answer(arguments: QuestionArguments) -> dict[str, Any]:
        return {"is_answered": client.questions.answer(arguments.question, arguments.answer)}

    @server.command("kernelopt.job.cancel")
    def cancel(arguments: JobArguments) -> dict[str, Any]:
        return {"is_cancelled": backend.editor.cancel(arguments.job_id)}


def _changed(backend: Backend, unit: Unit, before: str) -> tuple[str, ...]:
    """Keys of the kernels that changed since. Raises UsageError where only a part of the document is CUDA."""
    from assistant.engine import kernels_changed_since  # compares parsed texts, which a start does not need

    if unit.embedded is not None:
        raise UsageError("`before` can be given for a whole CUDA document only, not for a cell or string")
    return kernels_changed_since(backend.editor.parsed(unit.key), before)
