"""Configures a CMake project in a folder of its own and has CMake's File API write down the targets.

CMake runs what the project's ``CMakeLists.txt`` say; the caller has the user's word for that. Where no CUDA compiler is found, or the
project asks it for what it cannot do (a GPU that it has outlived), `stand_in` answers in its place. Example::

    configure(ConfigureMessage("/p", "/p/.kernelopt/cmake/top"), os.environ, launcher)
    # {"cmake": "/usr/bin/cmake", "is_stand_in": True, "problem": "", "output": "-- Configuring done …"}
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.disk.removal import remove_tree
from assistant.emulator.protocol import ConfigureMessage
from assistant.emulator.stand_in import make_stand_in
from assistant.worker.launcher import Command, Launcher
from assistant.worker.tool_process import ToolInput, ToolProcess, read_ready, start_tool

__all__ = ["CONFIGURE_TIMEOUT_S", "configure"]

CONFIGURE_TIMEOUT_S = 900.0
"""Large projects take minutes, some fetch others meanwhile."""
_ABOUT_CUDA = re.compile(r"^CMake Error.*(?:CUDA|nvcc)", re.MULTILINE | re.DOTALL)
_QUERIES = ("codemodel-v2", "cmakeFiles-v1")
_TOOLKIT = "kernelopt-toolkit"
_USUAL_COMPILERS = ("/usr/local/cuda/bin/nvcc",)
_TOOLKIT_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "CUDA_BIN_PATH", "CUDAToolkit_ROOT")
"""Where CMake's modules look for a toolkit (FindCUDA, FindCUDAToolkit)."""


def configure(message: ConfigureMessage, environment: Mapping[str, str], launcher: Launcher) -> dict[str, Any]:
    """The folder is emptied first. ``problem`` is empty where CMake came to its end. Raises OSError, Interrupted."""
    search_path = environment.get("PATH", os.defpath)
    if shutil.which("cmake", path=search_path) is None:  # pip may have put it next to Python
        search_path = os.pathsep.join((search_path, str(Path(sys.executable).parent)))
    cmake = shutil.which("cmake", path=search_path)
    if cmake is None:
        return {"cmake": None, "is_stand_in": False, "problem": "there is no cmake on PATH", "output": ""}
    variables = {**environment, "PATH": search_path}
    compiler = _cuda_compiler(variables)
    problem, output = "", ""
    if compiler is not None:
        problem, output = _configured(cmake, message, variables | {"CUDACXX": compiler}, launcher)
    is_stand_in = compiler is None or ("CUDACXX" not in environment and _ABOUT_CUDA.search(output) is not None)
    if is_stand_in:
        problem, output = _configured(cmake, message, variables, launcher, is_stand_in=True)
    return {"cmake": cmake, "is_stand_in": is_stand_in, "problem": problem, "output": output}


def _configured(
    cmake: str, message: ConfigureMessage, variables: Mapping[str, str], launcher: Launcher, *, is_stand_in: bool = False
) -> tuple[str, str]:
    """What kept CMake from its end, and all that it said."""
    folder = Path(message.folder)
    remove_tree(folder)
    queries = folder / ".cmake" / "api" / "v1" / "query"
    queries.mkdir(parents=True)
    for name in _QUERIES:
        (queries / name).touch()
    further = _stand_in(folder / _TOOLKIT) if is_stand_in else {}
    return _run(Command((cmake, "-S", message.source, "-B", message.folder, *message.options), folder, {**variables, **further}), launcher)


def _cuda_compiler(variables: Mapping[str, str]) -> str | None:
    """The user's own, that on ``PATH``, or one where toolkits are usually installed."""
    named = (f"{variables[name]}/bin/nvcc" for name in ("CUDA_PATH", "CUDA_HOME") if name in variables)
    found = variables.get("CUDACXX") or shutil.which("nvcc", path=variables["PATH"])
    return found or next((path for path in (*named, *_USUAL_COMPILERS) if os.access(path, os.X_OK)), None)


def _stand_in(toolkit: Path) -> dict[str, str]:
    return {"CUDACXX": str(make_stand_in(toolkit)), **dict.fromkeys(_TOOLKIT_VARIABLES, str(toolkit))}


def _run(command: Command, launcher: Launcher) -> tuple[str, str]:
    """What kept CMake from its end, and all that it said."""
    try:
        tool = start_tool(launcher, command, None, ToolInput(CONFIGURE_TIMEOUT_S))
    except OSError as error:
        return f"{command.arguments[0]} cannot be started: {error.strerror}", ""
    code = _waited(tool)
    if code is None:
        return f"cmake did not end within {CONFIGURE_TIMEOUT_S:.0f} s", tool.output.decode("utf-8", "replace")
    return ("" if code == 0 else f"cmake ended with {code}"), tool.output.decode("utf-8", "replace")


def _waited(tool: ToolProcess) -> int | None:
    """Its exit code; None where its time is over. Ends it where the requester goes away."""
    try:
        while not read_ready((tool,), ends_with_input=True):
            pass
        return tool.wait()
    finally:
        tool.end()
