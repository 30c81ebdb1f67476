"""Where keys stand in TOML text."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assistant.workload.toml_lines import KeyPath, key_lines

TEXT = '''# [not.a.header]
[a."b.c"]   # comment
x = 1
y.z = "[no] = header"
s = """
t = 1
"""
d = 1979-05-27 07:32:00
list = [
  { p = 1 },
  # comment = 2
  { q = { r = 'single # quoted' }, u = [1, 2] },
]
[[many]]
k = 1
[[many]]
k = 2
'''


def paths(value: Any, prefix: KeyPath = ()) -> list[KeyPath]:
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [path for key, item in items for path in ((*prefix, key), *paths(item, (*prefix, key)))]


def test_every_key_of_a_document_has_its_line() -> None:
    lines = key_lines(TEXT)
    assert set(paths(tomllib.loads(TEXT))) - {("many", 0), ("many", 1)} <= set(lines)
    assert lines["a", "b.c"] == 2 and lines["a", "b.c", "y", "z"] == 4
    assert ("t",) not in lines and ("a", "b.c", "t") not in lines
    assert lines["a", "b.c", "d"] == 8 and lines["a", "b.c", "list"] == 9
    assert lines["a", "b.c", "list", 0, "p"] == 10 and lines["a", "b.c", "list", 1, "q", "r"] == 12
    assert lines["many", 0, "k"] == 15 and lines["many", 1, "k"] == 17


@given(st.text(alphabet="ab=.[]{},\"'# \n1", max_size=60))
def test_any_text_is_scanned_to_its_end(text: str) -> None:
    assert all(1 <= line <= text.count("\n") + 1 for line in key_lines(text).values())
