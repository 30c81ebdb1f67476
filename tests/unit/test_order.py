"""Which tests start first."""

from __future__ import annotations

from tests.order import longest_first


def test_front_ends_start_before_parts_and_parts_before_what_starts_nothing() -> None:
    ids = (
        "tests/contracts/test_lab.py::test_a",
        "tests/e2e/cli/test_b.py::test_b",
        "tests/e2e/cli/test_b.py::test_a",
        "tests/e2e/editors/test_c.py::test_a",
        "tests/e2e/vscode/test_d.py::test_a",
        "tests/integration/lab/test_e.py::test_a",
        "tests/unit/test_f.py::test_a",
    )
    assert longest_first(ids, str) == [ids[4], ids[3], ids[1], ids[2], ids[5], ids[0], ids[6]], "those of a file in their order"
