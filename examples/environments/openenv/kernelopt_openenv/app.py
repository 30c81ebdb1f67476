"""The server: ``kernelopt-openenv kernels/*.cu --command /path/to/kernelopt --port 8000``."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from openenv.core.env_server.http_server import create_fastapi_app

from kernelopt_openenv.environment import KernelEnvironment, Settings
from kernelopt_openenv.judge import Judge
from kernelopt_openenv.models import KernelAction, KernelObservation

__all__ = ["build_app", "main"]


def build_app(settings: Settings, sessions: int) -> FastAPI:
    return create_fastapi_app(lambda: KernelEnvironment(settings), KernelAction, KernelObservation, max_concurrent_envs=sessions)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="kernelopt-openenv", description="Tasks of kernelopt behind OpenEnv's protocol")
    parser.add_argument("sources", nargs="+", type=Path, help="CUDA sources and PyTorch tasks")
    parser.add_argument("--command", default="kernelopt", help="starts kernelopt, in an environment of its own")
    parser.add_argument("--options", default="", help="of kernelopt task new, for all tasks: '--device cpu'")
    parser.add_argument("--judge-calls", type=int, default=8, help="of an episode; submit has one more")
    parser.add_argument("--wall", type=float, default=1800.0, metavar="SECONDS", help="of an episode's calls together")
    parser.add_argument("--sessions", type=int, default=8, help="at once")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    asked = parser.parse_args(words)
    missing = [str(path) for path in asked.sources if not path.is_file()]
    if missing:
        parser.error(f"no such file: {', '.join(missing)}")
    judge = Judge(shlex.split(asked.command), shlex.split(asked.options))
    settings = Settings(tuple(path.resolve() for path in asked.sources), judge, asked.judge_calls, asked.wall)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again when it has ended: folders of tasks are removed then
    uvicorn.run(build_app(settings, asked.sessions), host=asked.host, port=asked.port, log_level="warning")
