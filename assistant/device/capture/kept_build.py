"""What is built once for all runs of the same texts: by a build command, or by PyTorch in the script that loads an extension.

A build may take a minute, and a comparison runs each version a dozen times. What a build left is kept before the program
is run.

Example::

    with workspace.folder_to_run_in(request.cwd, build_key(request)) as place:
        if not place.is_built: …
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from assistant.build.includes import with_headers
from assistant.device.capture import build_only
from assistant.device.capture.protocol import CaptureRequest

__all__ = ["BUILT", "CANNOT_STOP", "build_key", "build_only_command"]

BUILT, CANNOT_STOP = build_only.BUILT, build_only.CANNOT_STOP
_PYTHON = "python"


def build_key(request: CaptureRequest) -> str | None:
    """Equal for requests whose builds are equal as long as the folder they run in stays as it is; None: nothing is built there."""
    if request.run_command is None or (request.build_command is None and not request.is_extension):
        return None
    texts = (f"{path}\0{text}" for path, text in sorted(with_headers(request.sources, request.flags.arguments).items()))
    commands = (*(request.build_command or ()), "\0run", *request.run_command)
    whose = "candidate" if request.is_candidate else "own"
    parts = (whose, str(request.cwd), request.visible_devices or "", *commands, *texts)
    return hashlib.sha256("\0\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def build_only_command(request: CaptureRequest, command: tuple[str, ...]) -> tuple[str, ...] | None:
    """The command of a script that loads an extension, to end once that is built; None: it has no such step by itself."""
    if not request.is_extension or request.build_command is not None:
        return None
    match command:
        case (python, script, *arguments) if Path(python).name.startswith(_PYTHON) and script.endswith(".py"):
            return (python, str(Path(build_only.__file__)), script, *arguments)
        case _:
            return None
