"""The long-lived processes: ``watch``, ``pair``, the language server, the harness for agents, the job host of front ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import options as opt
from assistant.cli.loading import loading
from assistant.cli.options import Json
from assistant.record import Record

__all__ = ["AgentRights", "Servers", "add_server_commands"]


class Servers(Record):
    """What starts each server; given by the composition root, as front ends do not import each other."""

    lsp: Callable[[int | None], int]
    """(TCP port on the loopback interface, or None for stdio) → exit code."""
    mcp: Callable[[AgentRights], int]
    """What agents may do → exit code."""


class AgentRights(Record):
    """What the person who starts ``mcp`` allows, as options say it."""

    may_run: bool
    may_edit_host_code: bool
    trusted: tuple[Path, ...]
    task: Path | None = None
    """The folder of a task, about which alone it answers; None: about every trusted folder."""


def add_server_commands(app: typer.Typer, servers: Servers) -> None:
    """``watch``, ``pair``, ``lsp``, ``mcp``, and the hidden ``host``."""

    def lsp(
        is_stdio: Annotated[bool, typer.Option("--stdio", help="Speak on stdin and stdout (the default).")] = False,
        tcp: Annotated[
            int | None,
            typer.Option("--tcp", metavar="PORT", min=0, max=65535, help="Listen on 127.0.0.1 for one connection; 0 takes a free port."),
        ] = None,
    ) -> None:
        """The language server, for VS Code, Neovim, Emacs, Helix, JupyterLab and every other LSP editor."""
        if is_stdio and tcp is not None:
            raise typer.BadParameter("--stdio and --tcp exclude each other")
        raise typer.Exit(servers.lsp(tcp))

    def mcp(
        allow_run: Annotated[
            bool, typer.Option("--allow-run", help="Run programs of trusted folders without an earlier 'Always here' in an editor")
        ] = False,
        allow_host_code: Annotated[
            bool, typer.Option("--allow-host-code", help="Build and run edits of host code, limited as candidates are")
        ] = False,
        trusted: Annotated[
            list[Path] | None, typer.Option("--trusted", metavar="DIR", help="A folder that the starting editor trusts; repeatable")
        ] = None,
        task: Annotated[
            Path | None, typer.Option("--task", metavar="DIR", help="Only judge, profile and ask_memory, in this folder of a task")
        ] = None,
    ) -> None:
        """The harness for coding agents: verify, profile, compare, propose. They submit and ask; people decide."""
        raise typer.Exit(servers.mcp(AgentRights(allow_run, allow_host_code, tuple(trusted or ()), task)))

    def host(front_end: str) -> None:
        """Run jobs for a front end, one JSON object per line."""
        with loading():
            from assistant.cli.compose import open_session
            from assistant.editor.host import serve
            from assistant.editor.relay import HostRelay
            from assistant.lab.kept import KeptCompiler

        compiler, relay = KeptCompiler(), HostRelay()
        raise typer.Exit(serve(open_session(front_end, compiler, relay), compiler, relay))

    app.command("watch")(_watch)
    app.command("pair")(_pair)
    app.command("lsp")(lsp)
    app.command("mcp")(mcp)
    app.command("host", hidden=True)(host)


def _watch(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder whose sources are looked at when they are saved")],
    as_json: Json = False,
) -> None:
    """Compile, check and profile every source of DIR whenever it, or a header that it includes, is saved. Ctrl-C ends it."""
    with loading():
        from assistant.cli.watch import watch_folder

    watch_folder(folder, as_json)


def _pair(
    context: typer.Context,
    file: opt.File,
    kernel: Annotated[str | None, typer.Option("--kernel", "-k", help="k or ns::k; needed where FILE has several kernels")] = None,
    goal: Annotated[str | None, typer.Option(help="What you are after, in your words; shown in the report")] = None,
    device: opt.Device = None,
    target: opt.Target = None,
    cflags: opt.Cflags = None,
    timeout: opt.Timeout = None,
    region: opt.Region = None,
    allow_host_code: Annotated[bool, typer.Option("--allow-host-code", help="Let suggestions edit host code without asking")] = False,
    as_json: Json = False,
) -> None:
    """Work on one kernel together: each save of FILE is judged and answered in a line; type help for what else there is."""
    with loading():
        from assistant.cli.pair import pair_up

    request = opt.job_request(file, None, kernel, device, target, cflags, context.obj, timeout, region=region)
    pair_up(request, goal, allow_host_code, as_json)
