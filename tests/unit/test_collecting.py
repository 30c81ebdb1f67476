"""Test processes begin to import at different places, and what a file says is still said by pytest."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

from tests.collecting import files_with_tests, no_garbage_collection, rotated
from tests.unit.import_graph import ROOT


def test_each_worker_begins_with_another_share_of_the_same_files(tmp_path: Path) -> None:
    for name in ("a/test_one.py", "a/data/test_not_ours.py", "b/test_two.py", "b/.kept/test_hidden.py", "b/helper.py", "test_three.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = files_with_tests([tmp_path, tmp_path / "absent"], [".*", "data"])
    assert [path.name for path in found] == ["test_one.py", "test_two.py", "test_three.py"]
    assert [rotated(found, number, 3)[0].name for number in range(3)] == ["test_one.py", "test_two.py", "test_three.py"]
    assert all(sorted(rotated(found, number, 2)) == sorted(found) for number in range(2))


def test_nothing_is_looked_for_in_what_was_collected() -> None:
    before = gc.get_freeze_count()
    with no_garbage_collection():
        assert not gc.isenabled()
        kept = [[number] for number in range(100)]
    assert gc.isenabled() and gc.get_freeze_count() >= before + len(kept)


def test_a_file_that_cannot_be_imported_or_skips_is_told_in_workers_as_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text("utf-8"))
    (tmp_path / "test_broken.py").write_text("raise ValueError('broken on purpose')\n")
    (tmp_path / "test_skipped.py").write_text("import pytest\npytest.skip('not here', allow_module_level=True)\n")
    (tmp_path / "test_warns.py").write_text("import warnings\nwarnings.warn('an old way')\n")
    (tmp_path / "test_right.py").write_text("def test_it():\n    assert True\n")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib\nfilterwarnings = error\nasyncio_default_fixture_loop_scope = function\n"
    )
    words = (sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", "-rs", str(tmp_path))
    ended = subprocess.run(words, cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": ""}, capture_output=True, text=True, check=False)
    for said in ("broken on purpose", "not here", "an old way"):
        assert said in ended.stdout, ended.stdout + ended.stderr
    assert "2 errors" in ended.stdout, ended.stdout
