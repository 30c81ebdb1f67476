"""Puts real editors into a folder: Debian's packages with all their libraries, unpacked and never installed.

Only Debian's package archive is read, through the ``apt-get`` and the mirror of this machine, with an apt state of its own: neither the
system's packages nor its list of sources change. An editor starts through the dynamic linker of its own folder, so it runs on any glibc.

Example::

    python tests/e2e/editors/packages.py      # what `make test` runs; says 'kernelopt: SKIPPED' for what is not to be had
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["EDITORS", "EMACS", "HELIX", "NEOVIM", "NEW_NEOVIM", "OLD_EMACS", "OLD_NEOVIM", "Packaged", "cache_folder", "unpack"]

_FETCH_DEADLINE_S = 600
_DEBIAN = "Debian"
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


@dataclass(frozen=True)
class Packaged:
    """An editor as one Debian release packages it."""

    name: str
    package: str
    suites: tuple[str, ...]
    """Where it and its libraries come from; the last one wins."""
    program: str
    """The program, inside the folder."""
    also: tuple[str, ...] = ()
    """Packages of its users that it does not depend on."""

    @property
    def folder(self) -> Path:
        return cache_folder() / self.name

    @property
    def is_unpacked(self) -> bool:
        return (self.folder / self.program).exists()

    def command(self) -> tuple[str, ...]:
        """Starts it from its folder."""
        libraries = [path for path in (self.folder / "usr" / "lib", self.folder / "lib") for path in sorted(path.glob("*-linux-gnu"))]
        linker = next(
            path for folder in ("lib64", "usr/lib64", "lib", "usr/lib") for path in self.folder.glob(f"{folder}/**/ld-linux*.so.*")
        )
        return str(linker), "--library-path", ":".join(map(str, libraries)), str(self.folder / self.program)


NEOVIM = Packaged("neovim-0.10", "neovim", ("trixie",), "usr/bin/nvim")
OLD_NEOVIM = Packaged("neovim-0.7", "neovim", ("bookworm",), "usr/bin/nvim")
EMACS = Packaged("emacs-30", "emacs-nox", ("bookworm", "bookworm-backports"), "usr/bin/emacs-nox")
OLD_EMACS = Packaged("emacs-28", "emacs-nox", ("bookworm",), "usr/bin/emacs-nox", also=("elpa-eglot",))
HELIX = Packaged("helix", "hx", ("trixie",), "usr/bin/hx")
NEW_NEOVIM = Packaged("neovim-new", "neovim", ("sid",), "usr/bin/nvim")
"""Never fetched by itself: what it is changes from day to day."""
EDITORS = (NEOVIM, OLD_NEOVIM, EMACS, OLD_EMACS, HELIX)


def main() -> int:
    """Unpack every editor that is not there yet; one line for each that is not to be had."""
    for editor in EDITORS:
        if not editor.is_unpacked and (reason := unpack(editor)) is not None:
            sys.stdout.write(f"kernelopt: SKIPPED the tests with {editor.name}: {reason}\n")
    return 0


def cache_folder() -> Path:
    """Kept between runs; outside the tree, as it holds no source of ours."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelopt-test-editors"


def unpack(editor: Packaged) -> str | None:
    """Download and unpack; why that cannot be done, else None."""
    if platform.system() != "Linux" or shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return "this machine has no apt-get, Debian's package client"
    work = editor.folder.with_name(f"{editor.name}.{os.getpid()}.part")
    try:
        made = _download(editor, work)
        for archive in sorted((work / "cache" / "archives").glob("*.deb")) if made is None else ():
            _run("dpkg", "-x", str(archive), str(work / "root"))
        if made is None and not editor.is_unpacked:
            (work / "root").rename(editor.folder)
        return made
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _download(editor: Packaged, work: Path) -> str | None:
    """Fetch the package and all it depends on into ``work``, as if nothing were installed; why that failed, else None."""
    mirror = _mirror(work)
    if mirror is None:
        return "apt-get has no Debian source"
    for folder in ("state/lists/partial", "cache/archives/partial", "etc", "root"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "state" / "status").touch()
    signed = f"[signed-by={_KEYS}] " if _KEYS.exists() else ""
    (work / "etc" / "sources.list").write_text("".join(f"deb {signed}{mirror} {suite} main\n" for suite in editor.suites))
    options = [
        f"Dir::State={work / 'state'}",
        f"Dir::State::status={work / 'state' / 'status'}",
        f"Dir::Cache={work / 'cache'}",
        f"Dir::Etc={work / 'etc'}",
        "APT::Sandbox::User=",
        "APT::Install-Recommends=false",
        "Acquire::Languages=none",
    ]
    apt = ("apt-get", "-q", "-y", "-t", editor.suites[-1], *(part for option in options for part in ("-o", option)))
    _run(*apt, "update")
    _run(*apt, "install", "--download-only", editor.package, *editor.also)
    return None


def _mirror(work: Path) -> str | None:
    """The address that this machine gets Debian from; its lists may be empty, so they are fetched into ``work`` if need be."""
    own = ("-o", f"Dir::State={work / 'machine'}", "-o", "APT::Sandbox::User=")
    known = _listed(())
    if known is None:
        (work / "machine" / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        _run("apt-get", *own, "update")
        known = _listed(own)
    return known


def _listed(options: tuple[str, ...]) -> str | None:
    """Where Debian's own main release comes from, as far as it was fetched."""
    told = _run("apt-get", *options, "indextargets", "--format", "$(ORIGIN) $(CREATED_BY) $(RELEASE) $(REPO_URI)")
    for line in told.splitlines():
        origin, created_by, release, address = line.split(maxsplit=3)
        if origin == _DEBIAN and created_by == "Packages" and "-" not in release:
            return address
    return None


def _run(*command: str) -> str:
    """What it printed. Raises with its last words where it failed."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_DEADLINE_S, stdin=subprocess.DEVNULL, check=False)
    if ended.returncode != 0:
        raise OSError(f"{command[0]} failed: {' '.join(ended.stderr.split())[-300:]}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())
