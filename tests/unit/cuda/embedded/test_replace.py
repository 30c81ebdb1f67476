"""Edits of a CUDA text inside Python: what is written back says exactly the edited text, or it is declined."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.edits import apply_edits
from assistant.cuda.embedded.find import find_embedded
from assistant.cuda.embedded.replace import replace
from assistant.model.embedded import Container, EmbeddedText, EmbeddingProblem, EmbeddingProblemCode
from assistant.model.source import Span, TextEdit

CODE = ["__global__ void k(float *a) {\n", "  a[0] = 1.0f;\n", "}\n", 'printf("%d\\n", 1);\n', "'", '"', '"""', "'''", "\\", "\n", "\\\n"]
CHARACTERS = ["// 計算 😀\n", "\t", " ", "7", "x", "\0", "é", "{", "    "]
PIECES: st.SearchStrategy[str] = st.sampled_from([*CODE, *CHARACTERS])
CUDA_TEXTS: st.SearchStrategy[str] = st.lists(PIECES, max_size=8).map("".join)
C = EmbeddingProblemCode
NEW_TEXTS: st.SearchStrategy[str] = st.lists(PIECES, max_size=3).map("".join)


def escaped(text: str, quote: str) -> str:
    text = text.replace("\\", "\\\\").replace("\0", "\\000" if quote == "'" else "\\x00").replace(quote[0], "\\" + quote[0])
    return quote + (text if len(quote) == 3 else text.replace("\n", "\\n")) + quote


def raw(text: str, quote: str) -> str | None:
    """None where a raw literal cannot hold the text."""
    cannot = quote in text or text.endswith(("\\", quote[0])) or "\0" in text or (len(quote) == 1 and "\n" in text)
    return None if cannot else f"r{quote}{text}{quote}"


def one_line_each(text: str) -> str:
    return "(" + "\n    ".join(escaped(line, '"') for line in text.splitlines(keepends=True) or [""]) + ")"


def styles(text: str) -> list[str]:
    """Python expressions whose value is the text."""
    plain = [escaped(text, quote) for quote in ("'", '"', "'''", '"""')]
    raws = [found for quote in ("'", '"', "'''", '"""') if (found := raw(text, quote)) is not None]
    cut = len(text) // 2
    halves = escaped(text[:cut], '"""') + " + " + escaped(text[cut:], "'")
    return [*plain, *raws, one_line_each(text), halves]


def only(text: str, container: Container = Container.PYTHON_FILE) -> EmbeddedText:
    (found,) = find_embedded(text, container)
    assert isinstance(found, EmbeddedText), found
    return found


def edited(found: EmbeddedText, edits: tuple[TextEdit, ...]) -> str | EmbeddingProblem:
    """The container after the edits."""
    changes = replace(found, edits)
    if isinstance(changes, EmbeddingProblem):
        return changes
    result = apply_edits(found.container_text, changes)
    assert isinstance(result, str)
    return result


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> tuple[TextEdit, ...]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=4)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return tuple(TextEdit(Span(start, end), draw(NEW_TEXTS)) for start, end in pairs)


@given(CUDA_TEXTS, st.data())
def test_what_is_written_back_is_the_edited_text(text: str, data: st.DataObject) -> None:
    expression = data.draw(st.sampled_from(styles(text)))
    line_end = data.draw(st.sampled_from(["\n", "\r\n"]))
    found = only(f"src = {expression}\nk = cp.RawKernel(src, 'k')\n".replace("\n", line_end))
    assert found.text == text
    edits = data.draw(edits_of(text))
    wanted = apply_edits(text, edits)
    result = edited(found, edits)
    if isinstance(result, EmbeddingProblem):
        assert found.literals[0].is_raw, result
    else:
        assert only(result).text == wanted


@given(CUDA_TEXTS, st.data())
def test_a_cell_takes_any_edit(text: str, data: st.DataObject) -> None:
    found = only(f"%%cu -n\n{text}", Container.NOTEBOOK_CELL)
    edits = data.draw(edits_of(text))
    result = edited(found, edits)
    assert result == f"%%cu -n\n{apply_edits(text, edits)}"


@given(st.lists(st.sampled_from(["a;", "  b;", "", "c; // 😀"]), min_size=1, max_size=6), st.data())
def test_new_lines_of_a_dedented_text_are_indented(lines: list[str], data: st.DataObject) -> None:
    body = textwrap.indent("\n".join(["first;", *lines, "last;"]), "    ")
    found = only(f'RawKernel(textwrap.dedent("""\n{body}\n"""), "k")')
    starts = [0, *(at + 1 for at, character in enumerate(found.text) if character == "\n")]
    start, end = sorted((data.draw(st.sampled_from(starts[1:-1])), data.draw(st.sampled_from(starts[1:-1]))))
    edit = TextEdit(Span(start, end), data.draw(st.sampled_from(["new;\n", "new;\n\n  newer;\n", ""])))
    result = edited(found, (edit,))
    wanted = apply_edits(found.text, (edit,))
    if isinstance(result, EmbeddingProblem):
        assert textwrap.dedent(str(wanted)) != wanted
        return
    assert only(result).text == wanted
    assert all(line.startswith("    ") for line in result.split("\n")[1:-1] if line.strip())


@pytest.mark.parametrize(
    ("container", "old", "new", "expected"),
    [
        ('RawKernel("a;\\nb;", "k")', "b", "c\n\td\\n", 'RawKernel("a;\\nc\\n\td\\\\n;", "k")'),
        ("RawKernel('a;', 'k')", "a", "'a'", "RawKernel('\\'a\\';', 'k')"),
        ('RawKernel("""a;""", "k")', ";", '""', 'RawKernel("""a\\"\\"""", "k")'),
        ('RawKernel(r"""a;\n""", "k")', "a", 'p("\\n");\n"', 'RawKernel(r"""p("\\n");\n";\n""", "k")'),
        ('RawKernel(r"""a;\r\n""", "k")', "a", "b\nc", 'RawKernel(r"""b\r\nc;\r\n""", "k")'),
        ('RawKernel("a\\n"\n  "b\\n", "k")', "\nb", "\nc", 'RawKernel("a\\n"\n  "c\\n", "k")'),
        ('RawKernel("a\\n"\n  "b\\n", "k")', "a\nb", "c\nd\ne", 'RawKernel("c\\n"\n  "d\\ne\\n", "k")'),
        ('RawKernel("a\\0b", "k")', "b", "7", 'RawKernel("a\\x007", "k")'),
    ],
)
def test_new_text_is_spelled_as_its_literal_asks(container: str, old: str, new: str, expected: str) -> None:
    found = only(container)
    at = found.text.index(old)
    assert edited(found, (TextEdit(Span(at, at + len(old)), new),)) == expected


@pytest.mark.parametrize(
    ("container", "edit", "code"),
    [
        ("RawKernel(r'a;', 'k')", TextEdit(Span(0, 1), "b\nc"), C.RAW_STRING),
        ('RawKernel(r"""a;""", "k")', TextEdit(Span(1, 2), '"""'), C.RAW_STRING),
        ('RawKernel(r"""a;""", "k")', TextEdit(Span(1, 2), "\\"), C.RAW_STRING),
        ('RawKernel(r"""a;""", "k")', TextEdit(Span(1, 1), "\r"), C.RAW_STRING),
        ('RawKernel(" a;".strip(), "k")', TextEdit(Span(0, 0), "\n"), C.TEXT_CHANGED_LATER),
        ("load_inline('m', '', ['a;', 'b;'])", TextEdit(Span(1, 4), ""), C.LINE_END_REMOVED),
        ("RawKernel('a;', 'k')", TextEdit(Span(1, 9), ""), C.EDITS_OVERLAP),
        ("%%cu", TextEdit(Span(0, 0), "a"), C.NO_BODY),
    ],
)
def test_an_edit_that_cannot_be_written_is_declined(container: str, edit: TextEdit, code: EmbeddingProblemCode) -> None:
    kind = Container.NOTEBOOK_CELL if container.startswith("%%") else Container.PYTHON_FILE
    result = edited(only(container, kind), (edit,))
    assert isinstance(result, EmbeddingProblem)
    assert result.code is code


def test_a_declined_edit_says_what_the_string_cannot_hold() -> None:
    declined = edited(only("RawKernel(r'a;', 'k')"), (TextEdit(Span(0, 1), "b\nc"),))
    assert isinstance(declined, EmbeddingProblem)
    assert "cannot be written in this raw string (its quotes" in declined.reason


def test_a_string_that_another_kernel_needs_is_not_changed() -> None:
    text = "head = 'H;'\nRawKernel(head + 'a;', 'k')\nRawKernel(head + 'b;', 'k')\n"
    first, second = find_embedded(text, Container.PYTHON_FILE)
    assert isinstance(first, EmbeddedText) and isinstance(second, EmbeddedText)
    refused = replace(first, (TextEdit(Span(0, 1), "I"),))
    assert isinstance(refused, EmbeddingProblem) and refused.code is C.SHARED_STRING
    assert edited(second, (TextEdit(Span(2, 3), "c"),)) == text.replace("b;", "c;")
