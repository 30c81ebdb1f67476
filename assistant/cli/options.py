"""Options that several commands share, each declared once, and how they become a JobRequest."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.loading import loading
from assistant.cli.paths import plain_path
from assistant.engine import JobRequest
from assistant.errors import UsageError

__all__ = [
    "Build",
    "Cflags",
    "Cluster",
    "Count",
    "Device",
    "Everywhere",
    "File",
    "FileA",
    "FileB",
    "Html",
    "Json",
    "Kernel",
    "Launches",
    "MaybeFile",
    "Report",
    "Run",
    "Sources",
    "Strict",
    "Target",
    "Timeout",
    "Verbose",
    "job_request",
    "words_of",
]

File = Annotated[Path, typer.Argument(metavar="FILE", help="CUDA C++ source; arguments for its program follow --")]
MaybeFile = Annotated[Path | None, typer.Argument(metavar="FILE", help="CUDA C++ source; with --report it may be left out")]
Report = Annotated[Path | None, typer.Option(metavar="X.ncu-rep", help="Read a report of Nsight Compute; needs no GPU, runs nothing")]
FileA = Annotated[Path, typer.Argument(metavar="A.cu", help="The original")]
FileB = Annotated[Path, typer.Argument(metavar="B.cu", help="The edited version")]
Sources = Annotated[list[Path] | None, typer.Argument(metavar="[SOURCE]...", help="Further sources compiled with FILE")]
SourcesOfBoth = Annotated[list[Path] | None, typer.Argument(metavar="[SOURCE]...", help="Further sources that each is compiled with")]
Kernel = Annotated[str | None, typer.Option("--kernel", "-k", help="k, ns::k, k<1>, file.cu:k or 'k(float*, int)'; default: every kernel")]
Device = Annotated[str | None, typer.Option(help="auto, cpu (the emulator) or gpu:N; default: as configured, else auto")]
Target = Annotated[str | None, typer.Option(help="GPU that speed is predicted for on cpu; default h200")]
Cflags = Annotated[str | None, typer.Option(help="Compiler flags, e.g. '-O3 -DN=4'; the same on both sides of a comparison")]
Timeout = Annotated[float | None, typer.Option(min=0.1, help="Seconds one run of the program may take; default 60")]
Launches = Annotated[str, typer.Option(help="Launches shown one by one: a number or all")]
Count = Annotated[str, typer.Option(help="sampled: at most 4096 blocks a launch are counted; all: every block")]
Region = Annotated[
    str | None,
    typer.Option(metavar="FUNCTION", help="Speed of calls of this host function; main: of all done on the GPU; default: of what differs"),
]
Everywhere = Annotated[bool, typer.Option("--every-program", help="Judge in every program that has A; the worst verdict counts")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 also on NEEDS_DECISION and INCONCLUSIVE")]
Html = Annotated[Path | None, typer.Option(metavar="OUT.html", help="Write the whole report as one HTML page that loads nothing")]
Build = Annotated[str | None, typer.Option(metavar="CMD", help="Builds what --run starts; recorded where there is no GPU")]
Run = Annotated[
    str | None,
    typer.Option(metavar="CMD", help="Starts a program or script instead of FILE's main(); without a GPU, what --build links"),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS|local:N",
        envvar="KERNELOPT_CLUSTER",
        help="Workers that do it: those of a dask scheduler (tcp://HOST:8786), or N of this machine; left out: this process",
        show_default=False,
        show_envvar=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON event per line")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="On a terminal all that a pipe gets: every counter, all evidence, what was tried")
]

_SAMPLED_BLOCKS = 4096
_PYTHON = ".py"


def job_request(
    file: Path,
    sources: list[Path] | None,
    kernel: str | None,
    device: str | None,
    target: str | None,
    cflags: str | None,
    program_arguments: tuple[str, ...],
    timeout_s: float | None = None,
    launches: str = "64",
    count: str = "sampled",
    *,
    build: str | None = None,
    run: str | None = None,
    report: Path | None = None,
    region: str | None = None,
) -> JobRequest:
    """The request these options mean; raises UsageError for a word that is none of the allowed ones.

    With ``run`` and no GPU, what the build makes is found out first, as ``building`` says.
    """
    if build is not None and run is None:
        raise UsageError("--build needs --run", "--run CMD starts what --build CMD has built")
    asked = JobRequest(
        file=plain_path(file),
        working_directory=Path.cwd(),
        extra_sources=tuple(plain_path(path) for path in sources or ()),
        kernel=kernel,
        region=region,
        device=device,
        target=target,
        cflags=words_of(cflags),
        arguments=program_arguments,
        timeout_s=timeout_s,
        launch_count=_launch_count(launches),
        sample_blocks=_sample_blocks(count),
        build_command=words_of(build),
        run_command=words_of(run),
        report=None if report is None else plain_path(report),
    )
    request = _about_text(asked) if _PYTHON in asked.file.suffixes else asked
    if run is None:
        return request
    with loading():
        from assistant.cli.building import emulated

    return emulated(request)


def _about_text(request: JobRequest) -> JobRequest:
    """Of a Python file the CUDA text that is meant."""
    with loading():
        from assistant.engine import about_text

    return about_text(request)


def words_of(text: str | None) -> tuple[str, ...] | None:
    """As a shell would split them; raises UsageError for an open quote."""
    if text is None:
        return None
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{text!r} cannot be split into words: {error}") from error


def _launch_count(text: str) -> int | None:
    if text == "all":
        return None
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise UsageError(f"--launches takes a positive number or all, not {text!r}")


def _sample_blocks(text: str) -> int:
    match text:
        case "all":
            return 0
        case "sampled":
            return _SAMPLED_BLOCKS
        case _:
            raise UsageError(f"--count takes sampled or all, not {text!r}")
