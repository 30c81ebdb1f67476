"""Has CMake configure the project of a file in a folder of kernelopt's own; the user's tree is not written to.

The explicit word of the user is the consent: CMake runs what the project's ``CMakeLists.txt`` say. Example::

    configured = await configure_project(Path("/p/lib/reduce.cuh"), ("-DWITH_BENCH=ON",))
    configured.folder      # Path("/p/.kernelopt/cmake/top")
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.config import find_project
from assistant.config.paths import workspace_folder
from assistant.errors import CannotAnswerError
from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.program.cmake import CONFIGURED_FOLDER
from assistant.record import Record

__all__ = ["ConfiguredProject", "configure_project", "project_root"]

_LISTS = "CMakeLists.txt"
_DEADLINE_S = 960.0
"""More than the worker gives CMake."""
_LINES_SHOWN = 14
"""Lines of CMake's messages that are shown, from the first error on."""
_TOP = "top"


class ConfiguredProject(Record):
    """A build that CMake configured."""

    source: Path
    """The folder of its top ``CMakeLists.txt``."""
    folder: Path
    cmake: str
    """The program that did it."""
    is_stand_in: bool
    """kernelopt answered in the place of a CUDA compiler: none was found, or it refused."""


def project_root(file: Path) -> Path:
    """The topmost folder of the workspace, at or above the file, with a ``CMakeLists.txt``. Raises CannotAnswerError where none has one."""
    folder = file.resolve() if file.is_dir() else file.resolve().parent
    workspace = find_project(file)
    above = [each for each in (folder, *folder.parents) if (each / _LISTS).is_file()]
    within = [each for each in above if each.is_relative_to(workspace)]
    if within:
        return within[-1]
    if above:
        message = f"{above[-1] / _LISTS} is outside of the workspace {workspace}"
        raise CannotAnswerError(message, f"make its folder the workspace: touch {above[-1] / 'kernelopt.toml'}")
    raise CannotAnswerError(f"no folder from {folder} up to {workspace} has a {_LISTS}", "name a file of a CMake project")


async def configure_project(file: Path, options: tuple[str, ...]) -> ConfiguredProject:
    """Raises CannotAnswerError where there is no project, no cmake, or CMake refuses; its own words are in the message."""
    source = project_root(file)
    workspace = find_project(file)
    name = str(source.relative_to(workspace)).replace("/", "_")
    folder = workspace / CONFIGURED_FOLDER / (_TOP if name == "." else name)
    reply = await _asked(workspace, {"op": "configure", "source": str(source), "folder": str(folder), "options": list(options)})
    if reply["problem"]:
        raise _refusal(reply, source)
    return ConfiguredProject(source, folder, reply["cmake"], reply["is_stand_in"])


async def _asked(workspace: Path, message: dict[str, Any]) -> Mapping[str, Any]:
    worker = WorkerProcess("assistant.emulator")
    try:
        (workspace_folder(workspace) / "cmake").mkdir(exist_ok=True)
        reply = await worker.request(message, _DEADLINE_S)
    except OSError as error:
        raise CannotAnswerError(f"{error.filename} cannot be written: {error.strerror}", "make that folder writable") from error
    except (WorkerDied, WorkerTimedOut) as error:
        raise CannotAnswerError(f"the project was not configured: {error}", "kernelopt doctor") from error
    finally:
        await worker.close()
    if "failure" in reply:
        raise CannotAnswerError(f"the project was not configured: {reply.get('message', '')}", reply.get("remedy", ""))
    return reply


def _refusal(reply: Mapping[str, Any], source: Path) -> CannotAnswerError:
    if reply["cmake"] is None:
        return CannotAnswerError(reply["problem"], "install CMake (Debian, Ubuntu: apt-get install cmake; anywhere: pip install cmake)")
    lines = [line for line in str(reply["output"]).splitlines() if line.strip()]
    first = next((index for index, line in enumerate(lines) if line.startswith("CMake Error")), max(0, len(lines) - _LINES_SHOWN))
    words = "\n  ".join(lines[first : first + _LINES_SHOWN])
    remedy = 'install what it misses, or switch that off: --cmake-options "-DWITH_X=OFF"'
    if reply["is_stand_in"]:
        remedy += "; kernelopt answered in nvcc's place: what asks more of it than CMake itself does needs the CUDA toolkit"
    return CannotAnswerError(f"{reply['problem']} in {source}:\n  {words}", remedy)
