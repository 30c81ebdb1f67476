"""Installs packages into the Python that runs this: by uv, which takes seconds where pip takes minutes of a processor, else by pip.

uv reads nothing that pip is set up with, so it is told; where pip is set up with something that uv cannot be told, or uv does not find a
package, pip does it.

Example::

    .venv/bin/python .ci/install.py --editable . --group dev      # arguments that `pip install` and `uv pip install` both know
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
_UV = Path(sys.executable).with_name("uv")
_UVS_NAMES = {
    "cert": "SSL_CERT_FILE",
    "constraint": "UV_CONSTRAINT",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
}
_ONLY_PIPS = {
    "default-timeout",
    "disable-pip-version-check",
    "no-cache-dir",
    "no-input",
    "progress-bar",
    "quiet",
    "retries",
    "root-user-action",
    "timeout",
}
"""What changes nothing of what is found."""
_SEPARATORS = {"UV_FIND_LINKS": ","}


def main(arguments: list[str]) -> int:
    """Install; the exit code of what did it."""
    listed = subprocess.run((*_PIP, "config", "list"), capture_output=True, text=True, check=False)
    told = uvs_environment(listed.stdout) if listed.returncode == 0 else None
    if told is not None and _has_uv():
        environment = {"UV_INDEX_STRATEGY": "unsafe-best-match", **told, **os.environ}  # the newest of all indexes, as pip has it
        command = (str(_UV), "pip", "install", "--quiet", "--python", sys.executable, *arguments)
        if subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0:
            return 0
    return subprocess.run((*_PIP, "install", "--quiet", "--no-compile", *arguments), check=False).returncode


def uvs_environment(pip_config_list: str) -> dict[str, str] | None:
    """What pip is set up with, as it lists it, in uv's words; None where that cannot be said."""
    values: dict[str, list[str]] = {}
    for line in pip_config_list.splitlines():
        name, _, value = line.partition("=")
        option = name.rpartition(".")[2]
        if option not in _UVS_NAMES and option not in _ONLY_PIPS:
            return None
        values.setdefault(option, []).extend(str(ast.literal_eval(value)).split())
    return {
        uvs_name: _SEPARATORS.get(uvs_name, " ").join(dict.fromkeys(values[option]))
        for option, uvs_name in _UVS_NAMES.items()
        if option in values
    }


def _has_uv() -> bool:
    """It is fetched where it is not there."""
    return _UV.exists() or subprocess.run((*_PIP, "install", "--quiet", "uv"), capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
