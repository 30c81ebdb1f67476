"""An address belongs to the innermost line that the user wrote."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assistant.emulator.symbolize import Symbolizer
from assistant.emulator.toolchain import INCLUDE_DIR

SOURCE = """#line 15 "{header}"
static inline __attribute__((always_inline)) void fence() {{ __asm__ volatile("nop"); }}
#line 7 "/user/spin.cu"
void spin() {{ fence(); }}
int main() {{ spin(); }}
"""


@pytest.mark.parametrize("header", [INCLUDE_DIR / "emu/sync.h", Path("/other/site-packages/assistant/emulator/include/emu/sync.h")])
def test_a_line_of_our_headers_is_the_line_that_calls_them(tmp_path: Path, header: Path) -> None:
    """A program in the cache may have been built by another installation."""
    source, binary = tmp_path / "unit.cpp", tmp_path / "program"
    source.write_text(SOURCE.format(header=header))
    flags = ("-O1", "-g1", "-gdwarf-4", "-fno-pie", "-no-pie", "-fcf-protection=none")
    subprocess.run(("g++", *flags, str(source), "-o", str(binary)), check=True)
    symbolizer = Symbolizer(binary)
    after_nop = symbolizer.function_addresses()["spin()"] + 1
    place = symbolizer.places([after_nop])[after_nop]
    assert (place.file, place.line) == ("/user/spin.cu", 7)


def test_functions_of_one_name_in_two_units_carry_their_files(tmp_path: Path) -> None:
    objects = list[str]()
    for name, further in (("first", "void other(); int main() { scale(1.0f); own(); other(); }"), ("second", "void other() { scale(2); }")):
        text = f'#line 1 "/p/{name}.cu"\n'
        parameter = "float" if name == "first" else "int"
        text += f'namespace {{ void scale({parameter}) {{ __asm__ volatile(""); }} }} {further}'
        text = text.replace("int main", "static void own() {} int main")
        (tmp_path / f"{name}.cpp").write_text(text)
        objects.append(str(tmp_path / f"{name}.cpp"))
    subprocess.run(("g++", "-O0", "-g1", "-gdwarf-4", *objects, "-o", str(tmp_path / "program")), check=True)
    names = Symbolizer(tmp_path / "program").function_addresses()
    expected = {"first.cu:(anonymous namespace)::scale(float)", "second.cu:(anonymous namespace)::scale(int)", "own()", "other()", "main"}
    assert expected <= names.keys()
