"""Which files a source includes, and where it says so."""

from __future__ import annotations

import pytest

from assistant.cuda.includes import IncludeDirective, include_directives, include_line, included_names

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


def test_directives_in_force_are_told_from_those_that_are_not() -> None:
    text = (
        '// #include "line.h"\n/* #include "block.h"\n#include "inside.h"\n*/\n#if 0\n#include "dead.h"\n#else\n#include "live.h"\n#endif\n'
        'const char *s = R"(\n#include "string.h"\n)";\n#  include <sys/a.h>\n#include \\\n "continued.h"\n#include "live.h"\n'
    )
    assert include_directives(text) == (
        IncludeDirective("live.h", is_quoted=True),
        IncludeDirective("sys/a.h", is_quoted=False),
        IncludeDirective("continued.h", is_quoted=True),
    )


@pytest.mark.parametrize(
    "text",
    [
        '/* a licence */\n#include "a.h"\n/* more */',
        '#include "a.h" // first /* of all\n',
        '// a path: src/*\n#include "a.h"\n/* x */',
        '#include /* why */ "a.h"',
        '#ifdef X\n#include "a.h"\n#endif',
        '\ufeff#include "a.h"'[1:],
        '#include "a.h"\r\n',
        '#if 1\n#include "a.h"\n#else\n#include "b.h"\n#endif',
    ],
)
def test_an_include_is_found_beside_comments_and_conditions(text: str) -> None:
    assert [found.name for found in include_directives(text)] == ["a.h"]


def test_an_include_in_a_comment_that_opens_before_it_is_none() -> None:
    assert include_directives('int a; /* from here\n#include "a.h"\n') == ()
