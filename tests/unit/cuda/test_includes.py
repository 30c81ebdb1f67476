"""Which files a source includes, and where it says so."""

from __future__ import annotations

import pytest

from assistant.cuda.includes import include_line, included_names

_TEXT = '#include <cuda_runtime.h>\n\n  #  include "lib/help.cuh"  // ours\n#include <x/y/z.h>\n// not: see #include "no.h"\n'


def test_names_are_without_folders_and_in_either_quotes() -> None:
    assert included_names(_TEXT) == {"cuda_runtime.h", "help.cuh", "z.h"}


@pytest.mark.parametrize(
    "text", ["", "#include\n", '#include "half', "#include MACRO\n", '# define X "a.h"\n', 'const char *s = " #include <a.h>";\n']
)
def test_half_typed_and_other_directives_include_nothing(text: str) -> None:
    assert included_names(text) == frozenset()


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("/w/lib/help.cuh", 3),
        ("help.cuh", 3),
        ("/usr/include/cuda_runtime.h", 1),
        ("/w/x/y/z.h", 4),
        ("/w/no.h", None),
        ("/w/elp.cuh", None),
    ],
)
def test_the_directive_of_a_file_is_found_by_its_name(file: str, line: int | None) -> None:
    assert include_line(_TEXT, file) == line
