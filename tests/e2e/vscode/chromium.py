"""Where the browser is: the machine's own Chromium, else Debian's, unpacked into the user's cache folder and never installed.

An unpacked one runs with its own libraries on the release that it was packaged for; elsewhere somebody has to install one.
"""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path
from typing import Any

from tests.e2e.editors.packages import Packaged, unpack

__all__ = ["fetch", "launch_options"]

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""The sandbox needs rights that containers do not give; the rest keeps the browser off the network."""


def fetch() -> str | None:
    """Unpack one where the machine has none; why that cannot be done, else None."""
    if launch_options() is not None:
        return None
    packaged = _packaged()
    if packaged is None:
        return f"no browser is installed; try: apt-get install {_PROGRAMS[0]}"
    return unpack(packaged)


def launch_options() -> dict[str, Any] | None:
    """What Playwright's ``launch`` takes; None where there is no browser."""
    installed = next((found for name in _PROGRAMS if (found := shutil.which(name)) is not None), None)
    if installed is not None:
        return {"executable_path": installed, "args": _FLAGS}
    packaged = _packaged()
    if packaged is None or not packaged.is_unpacked:
        return None
    own = packaged.folder
    libraries = ":".join(str(path) for place in ("usr/lib", "lib") for path in _library_folders(own / place))
    fonts = {"FONTCONFIG_PATH": str(own / "etc" / "fonts"), "XDG_DATA_HOME": str(own / "usr" / "share")}
    program = str(own / packaged.program)
    return {"executable_path": program, "args": _FLAGS, "env": os.environ | fonts | {"LD_LIBRARY_PATH": libraries}}


def _library_folders(place: Path) -> list[Path]:
    """Those of the machine's kind, and the ones below in which a package keeps libraries for its own (PulseAudio's, say)."""
    folders = sorted(place.glob("*-linux-gnu"))
    return [*folders, *sorted({path.parent for folder in folders for path in folder.glob("*/lib*.so*")})]


def _packaged() -> Packaged | None:
    """Debian's package for this very release."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return None
    if release.get("ID") != "debian" or "VERSION_CODENAME" not in release:
        return None
    codename = release["VERSION_CODENAME"]
    return Packaged(f"chromium-{codename}", "chromium", (codename,), "usr/lib/chromium/chromium")
