"""Sources in Latin-1: a model reads them, and what it writes into them stays in Latin-1."""

from __future__ import annotations

import pytest

from assistant.plan.llm.reading.undecoded import legible, written_into

SOURCE = "// Größe\n".encode("latin-1").decode("utf-8", "surrogateescape")


def test_a_byte_is_read_as_the_character_that_it_is_in_latin_1() -> None:
    assert legible(SOURCE) == "// Größe\n"
    assert legible("// Größe\n") == "// Größe\n"


def test_such_characters_become_bytes_in_such_a_file_alone() -> None:
    assert written_into(SOURCE, "// Größer\n").encode("utf-8", "surrogateescape") == "// Größer\n".encode("latin-1")
    assert written_into("// Größe\n", "// Größer\n") == "// Größer\n"


@pytest.mark.parametrize("text", ["π", "😀", "a", ""])
def test_other_characters_stay(text: str) -> None:
    assert written_into(SOURCE, text) == legible(text) == text


def test_a_character_that_the_file_has_in_utf_8_stays_so() -> None:
    assert written_into(f"{SOURCE}// é\n", "é ö").encode("utf-8", "surrogateescape") == "é ".encode() + b"\xf6"
