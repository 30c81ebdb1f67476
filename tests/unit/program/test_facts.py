"""What was read out of a text is kept by its content: never out of date, never needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.linkage import linkage_of
from assistant.model.program import ProgramSearch
from assistant.program import find_programs
from assistant.program.facts import KeptFacts, ReadFacts
from tests.unit.program.conftest import Project

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


def test_a_search_that_reads_very_much_is_stopped_and_the_next_one_goes_on(project: Project, tmp_path: Path) -> None:
    long = "".join(f"void f{number}();\n" for number in range(400))
    project.write(main_cu=f"{long}void a();\nint main() {{ a(); }}", a_cu=f"{long}__global__ void k() {{}}\nvoid b();\nvoid a() {{ b(); }}")
    project.write(b_cu=f"{long}\nvoid b() {{}}")

    def asked() -> ProgramSearch:
        facts = KeptFacts(tmp_path, most_characters=len(long))
        return find_programs(project.root / "b.cu", (), project.read, project.root, (), facts)

    searches = [asked() for _ in range(4)]
    stopped = [search.problem for search in searches if not search.found]
    assert 1 <= len(stopped) <= 3
    assert all("ask again to go on (what was read is kept), or name the sources on the command line" in problem for problem in stopped)
    assert [found.name for found in searches[-1].found] == ["main.cu"] and not searches[-1].problem
