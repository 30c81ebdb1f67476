"""What tests have built, kept between runs: cold, the emulator's runtime and preludes take half a minute of two processors."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from filelock import FileLock

from assistant.emulator.toolchain import Compiler, compile_flags, find_compiler, own_digests, prepare
from tests.places import kept_folder

__all__ = ["kept_emulator", "link_kept_emulator", "new_emulator_cache", "shared_cache"]


def kept_emulator() -> Path:
    """The folder that the emulator keeps its builds in, those of tests' programs too."""
    folder = kept_folder() / f"kernelopt-test-emulator-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def shared_cache() -> Path:
    """A user's cache folder that all tests share: what one has built of an example, the next need not."""
    return link_kept_emulator(kept_folder() / f"kernelopt-e2e-cache-{os.getuid()}")


def link_kept_emulator(cache_folder: Path) -> Path:
    """``cache_folder``, a user's cache, made where it is not there yet: with the emulator's builds of all tests."""
    cache_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(cache_folder / "linked.lock"):
        if not (cache_folder / "emulator").exists():
            (cache_folder / "emulator").symlink_to(kept_emulator())
    return cache_folder


def new_emulator_cache(folder: Path) -> Path:
    """``folder`` for the emulator's builds, with its runtime and preludes and no program."""
    for made in _made_once():
        (folder / made.name).symlink_to(made)
    return folder


@cache
def _made_once() -> tuple[Path, ...]:
    kept, compiler, own = kept_emulator(), find_compiler(os.environ["PATH"]), own_digests()
    assert isinstance(compiler, Compiler)
    toolkits = [prepare(compiler, compile_flags(flavour, "17", False), kept, own, None) for flavour in ("fast", "counted", "checked")]
    return (kept / "runtime", *(toolkit.prelude.parent for toolkit in toolkits))
