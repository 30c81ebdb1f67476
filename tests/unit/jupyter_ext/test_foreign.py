"""Lines of ``%%cu`` and ``%%cuda`` cells."""

import pytest

from assistant.errors import UsageError
from jupyter_ext.foreign import foreign_options


def test_what_the_compiler_is_given_counts_and_the_rest_is_reported() -> None:
    options = foreign_options('-p -c "-O2 -std=c++17" --name example.cu -t')
    assert options.cflags == "-O2 -std=c++17"
    assert [note.partition(" ")[0] for note in options.notes] == ["-p", "--name", "-t"]
    assert foreign_options("-n example.cu -c false").cflags is None, "older versions said so whether to compile"


def test_an_option_that_does_not_exist_is_refused() -> None:
    for line in ("--grid 4", "-x", "example.cu"):
        with pytest.raises(UsageError, match="%%cu and %%cuda cells take -c ARGUMENTS, -p, -t"):
            foreign_options(line)
    with pytest.raises(UsageError, match="No closing quotation"):
        foreign_options('-c "-O2')
