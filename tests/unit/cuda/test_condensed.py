"""Texts without bodies say the same of a program's names as whole ones do, in fewer characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.condensed import condensed
from assistant.cuda.linkage import linkage_of

DATA = Path(__file__).parents[2] / "data"
SUFFIXES = {".cu", ".cuh", ".cpp", ".h", ".c"}
SOURCES = sorted(path for name in ("programs", "strangers") for path in (DATA / name).rglob("*") if path.suffix in SUFFIXES)


def test_a_body_becomes_its_words() -> None:
    assert condensed('int f(int n) { return g(n) + g(2) /* h */ + "k"[0]; }') == "int f(int n) {g n return}"
    assert condensed("void f() const noexcept { a.b = 1.f + c->d + 0x1F + 1'000; }") == "void f() const noexcept {a b c d}"
    assert condensed("#define RUN(x) \\\n  go(x)\nint a[2] = {1, 2};") == "#define RUN(x)   go(x)\nint a[2] = {1, 2};"


@pytest.mark.parametrize(
    "text",
    [
        "void f() {\n#ifdef A\n  g();\n#endif\n}",
        "void f() { extern void g(); g(); }",
        "#define OPEN(x) if (x) {\nint a;\n",
        "namespace std ATTRIBUTE(default) { int f(); }",
        "struct __attribute__((packed)) { int a; int b; } s;",
        'const char* t = R"(void f() { g(); })";',
    ],
)
def test_what_could_be_read_otherwise_stays(text: str) -> None:
    assert condensed(text).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(DATA)))
def test_names_are_those_of_the_whole_text(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8", "surrogateescape")
    found = linkage_of(text)
    monkeypatch.setattr("assistant.cuda.linkage.condensed", str)
    assert found == linkage_of(text)
