"""Start kernelopt: ``python -m assistant`` or ``kernelopt``.

Cuts off what follows ``--`` (the user's program's own arguments) and hands the rest to the command line.
"""

from __future__ import annotations

import gc
import sys
import traceback
from typing import TYPE_CHECKING

from assistant.cli.loading import loading

if TYPE_CHECKING:
    from pathlib import Path

    from assistant.cli.servers import AgentRights
    from assistant.engine.pair import PairSessions
    from assistant.ports.store import Store

__all__ = ["main"]


_EDITORS_START = (["lsp"], ["lsp", "--stdio"])
"""Command lines that need no parsing: an editor waits."""


def main() -> int:
    """Run one command; its exit code."""
    with loading():
        from assistant.cli.streams import drop_output, prepare_streams
        from assistant.errors import KernelOptError

    prepare_streams()
    code = _run()
    try:
        sys.stdout.flush()
    except (KernelOptError, BrokenPipeError) as error:
        code = _unwritten(error)
        drop_output()
    return code


def _run() -> int:
    with loading():
        from assistant.cli.exit_codes import INTERNAL
        from assistant.errors import KernelOptError

    try:
        return _lsp(None) if sys.argv[1:] in _EDITORS_START else _command(sys.argv[1:])
    except KernelOptError as error:
        with loading():
            from assistant.cli.jobs import fail

        return fail(error)
    except BrokenPipeError as error:
        return _unwritten(error)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:  # noqa: BLE001 - the last boundary: a defect of ours gets its own exit code
        if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("assistant."):
            return _left_out(error.name or "")
        traceback.print_exc()
        sys.stderr.write("internal error: this is a defect of kernelopt; please report it with the lines above\n")
        return INTERNAL


def _left_out(module: str) -> int:
    """The exit code where a command needs what the extension for VS Code does not carry."""
    with loading():
        from assistant.cli.jobs import fail
        from assistant.errors import CannotAnswerError

    text = f"this command needs {module}, which the kernelopt inside the extension for VS Code does not carry"
    return fail(CannotAnswerError(text, "run it in an environment of its own: uv tool or pipx install kernelopt"))


def _unwritten(error: Exception) -> int:
    """The exit code where the output could not be written."""
    with loading():
        from assistant.cli.exit_codes import READER_GONE
        from assistant.cli.jobs import fail
        from assistant.errors import KernelOptError

    return fail(error) if isinstance(error, KernelOptError) else READER_GONE


def _command(words: list[str]) -> int:
    with loading():
        from assistant.cli.app import build_app
        from assistant.cli.servers import Servers

    arguments, program_arguments = _split(words)
    app = build_app(Servers(_lsp, _mcp), next(iter(arguments), None))
    app(args=arguments, prog_name="kernelopt", obj=program_arguments, standalone_mode=True)
    return 0


def _lsp(port: int | None) -> int:
    gc.disable()  # until the server has loaded the rest
    with loading():
        from lsp.server import build_server  # no other command pays for it
        from lsp.serving import serve
    return serve(build_server(_memory, _pair_sessions), port)


def _memory() -> Store:
    from assistant.config import load_settings, memory_path
    from assistant.memory.store import open_store

    return open_store(memory_path(load_settings(None).settings))


def _mcp(rights: AgentRights) -> int:
    if rights.task is not None:
        return _mcp_of_task(rights.task)
    with loading():
        from importlib.metadata import version

        from assistant.cli.compose import open_session
        from assistant.config import TrustStore, user_paths
        from assistant.mcp.harness import Harness, Rights
        from assistant.mcp.server import serve

    allowed = Rights(rights.may_run, rights.may_edit_host_code, rights.trusted)
    return serve(Harness(open_session("mcp"), TrustStore(user_paths().trust), allowed), version("kernelopt"))


def _mcp_of_task(folder: Path) -> int:
    with loading():
        from importlib.metadata import version

        from assistant.agents.tasks import AgentFolder, Door, TaskStore
        from assistant.cli.compose import open_session
        from assistant.config import user_paths
        from assistant.mcp.task_server import serve_task

    store, agent_folder = TaskStore(user_paths().tasks), AgentFolder(folder)
    kept = store.find(agent_folder.task_id())
    return serve_task(Door(open_session("mcp"), store, agent_folder, kept.task.id), kept.task, version("kernelopt"))


def _pair_sessions(store: Store, who: str) -> PairSessions:
    """What few sessions need is loaded by the first that does."""
    from assistant.engine.pair import PairSessions
    from assistant.plan.catalogue import own_catalogue

    return PairSessions(store, own_catalogue(), who)


def _split(arguments: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """What stands before and after the first ``--``."""
    if "--" not in arguments:
        return arguments, ()
    cut = arguments.index("--")
    return arguments[:cut], tuple(arguments[cut + 1 :])


if __name__ == "__main__":
    sys.exit(main())
