"""What compilers made is found again by where the cache folder is now."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.device import cache
from assistant.device.protocol import CompileReply
from assistant.model.build import Build

_KEY = "ab" * 32


@pytest.mark.parametrize("how", ["moved", "linked"])
def test_machine_code_is_found_in_a_folder_that_has_another_path(tmp_path: Path, how: str) -> None:
    first, now = tmp_path / "first", tmp_path / "now"
    if how == "linked":
        (tmp_path / "kept").mkdir()
        first.symlink_to(tmp_path / "kept")
    cubin = cache.store_cubin(first, b"machine code")
    cache.store(first, _KEY, CompileReply(Build("nvcc 13.0", "sm_90", DEFAULT_FLAGS, (), (), ()), "", 1.0, cached=False, cubin=str(cubin)))
    if how == "moved":
        first.rename(now)
    else:
        first.unlink()
        now.symlink_to(tmp_path / "kept")
    found = cache.load(now, _KEY)
    assert found is not None and found.cubin is not None
    assert Path(found.cubin).parent.parent == now
    assert Path(found.cubin).read_bytes() == b"machine code"
