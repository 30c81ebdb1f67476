"""What was read out of a text is kept by its content: never out of date, never needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.linkage import linkage_of
from assistant.program.facts import KeptFacts, ReadFacts

TEXT = "void run(int n);\n" + "".join(f"void f{number}() {{ run({number}); }}\n" for number in range(300))


def test_facts_are_those_of_the_text_again_and_again(tmp_path: Path) -> None:
    for text in (TEXT, TEXT, TEXT.replace("run", "other"), "int main() {}"):
        facts = KeptFacts(tmp_path)
        assert facts.linkage(text) == linkage_of(text)
        assert facts.words(text) == ReadFacts().words(text)
    assert len(list((tmp_path / "facts").iterdir())) == 4


@pytest.mark.parametrize("content", ["", "{", "[]", "half"])
def test_what_is_damaged_is_read_anew(tmp_path: Path, content: str) -> None:
    KeptFacts(tmp_path).linkage(TEXT)
    KeptFacts(tmp_path).words(TEXT)
    for kept in (tmp_path / "facts").iterdir():
        kept.write_text(content)
    assert KeptFacts(tmp_path).linkage(TEXT) == linkage_of(TEXT)
    assert KeptFacts(tmp_path).words(TEXT) == ReadFacts().words(TEXT)


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "facts").write_text("a file in the folder's place")
    assert KeptFacts(tmp_path).linkage(TEXT) == linkage_of(TEXT)
