"""An edit goes on to fit a text in which only spaces and comments were changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.hunks import hunks
from assistant.cuda.respelled import respelled, respelled_texts
from assistant.cuda.same_code import is_same_code
from assistant.model.change import FileChange
from assistant.model.source import Source

FILE = Path("/w/k.cu")
BEFORE = "int a;\nint b;\n// of c\nint c;\nint d;\n"
AFTER = "int a;\nlong b;\nint more;\nint c;\n"


def change(before: str, after: str, path: Path = FILE) -> FileChange:
    return FileChange(path, before, after, hunks(before, after))


@pytest.mark.parametrize(
    ("now", "made"),
    [
        (BEFORE, AFTER),
        (f"// top\n\n{BEFORE}\n", f"// top\n\n{AFTER}\n"),
        (BEFORE.replace("a;", "a; "), AFTER.replace("a;", "a; ")),
        (BEFORE.replace("b;", "b;  // why"), AFTER.replace("long b;", "// why\nlong b;")),
        (BEFORE.replace("int b;", "  int b; /* why\n  not */"), AFTER.replace("long b;", "  /* why\n  not */\nlong b;")),
        (BEFORE.replace("c;", "c;  // why"), AFTER.replace("c;", "c;  // why")),
        (BEFORE.replace("// of c\n", ""), AFTER),
        (BEFORE.replace("// of c\n", "\n// of the c\n"), AFTER.replace("int c;", "\n// of the c\nint c;")),
        (BEFORE.replace("int d", "    int  d"), AFTER),
        (BEFORE.replace("int b;\n", "int b;\n// mine\n"), AFTER.replace("long b;", "// mine\nlong b;")),
    ],
)
def test_what_was_typed_stays(now: str, made: str) -> None:
    found = respelled(change(BEFORE, AFTER), now)
    assert found is not None and (found.before_text, found.after_text) == (now, made)
    assert [hunk.id for hunk in found.hunks] == [hunk.id for hunk in hunks(BEFORE, AFTER)]


@pytest.mark.parametrize("now", ["", BEFORE.replace("a;", "e;"), BEFORE.replace("int d;", "in t d;"), f"{BEFORE}int e;\n"])
def test_other_code_is_not_taken_for_it(now: str) -> None:
    assert respelled(change(BEFORE, AFTER), now) is None


def test_spaces_of_python_are_code() -> None:
    before, indented = "if a:\n  b\nc\n", "if a:\n  b\n  c\n"
    assert respelled(change(before, "d\n", Path("/w/k.py")), indented) is None
    assert respelled(change(before, "d\n", Path("/w/k.py")), before) is not None


def test_all_files_of_an_edit_are_carried_or_none() -> None:
    other = Path("/w/k.cuh")
    before, after = (Source(FILE, BEFORE), Source(other, "int x;\n")), (Source(FILE, AFTER), Source(other, "int x;\n"))
    spaced = (Source(FILE, f"\n{BEFORE}"), Source(other, "int x; // x\n"))
    assert respelled_texts(before, after, spaced) == (Source(FILE, f"\n{AFTER}"), spaced[1])
    assert respelled_texts(before, after, (spaced[0], Source(other, "int y;\n"))) is None


_LINES = st.lists(st.sampled_from(["a b", "c", "d ;", "", "// e", "/* f */ g"]), max_size=8)
_SPELLING = st.lists(st.sampled_from(["{}\n", "  {}\n", "{} // x\n", "{}  \n\n", "// y\n{}\n"]), min_size=8, max_size=8)


@given(_LINES, _LINES, _SPELLING)
def test_it_is_the_code_of_the_edit_in_every_spelling(before: list[str], after: list[str], spelling: list[str]) -> None:
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    now = "".join(form.format(line) for form, line in zip(spelling, before, strict=False))
    found = respelled(change(old, new), now)
    assert found is not None and is_same_code(found.after_text, new)
