"""Every code example of a page compiles, of techniques and of skills: models and agents are shown no code that does not."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from assistant.device.toolchain import find_toolchain, installed_wheel_tree
from assistant.shipped import shipped_prompts
from tests.thorough import only

PAGES = sorted([*(shipped_prompts() / "techniques").glob("*.md"), *(shipped_prompts() / "skills" / "references").glob("*.md")])
BLOCK = re.compile(r"```cuda\n(.*?)```", re.DOTALL)
NEWEST = "// sm_90a\n"
"""First line of an example that needs Hopper's own instructions."""


def examples(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text("utf-8"))


def unit(only_newest: bool) -> str:
    """The examples of all pages as one translation unit, each in a namespace of its own; messages name the page."""
    includes: dict[str, None] = {}
    body: list[str] = []
    for page in PAGES:
        for number, code in enumerate(examples(page)):
            if code.startswith(NEWEST) is not only_newest:
                continue
            lines = code.split("\n")
            includes |= dict.fromkeys(line for line in lines if line.startswith("#include"))
            kept = "\n".join("" if line.startswith("#include") else line for line in lines)
            body.append(f'namespace page_{page.stem.replace("-", "_")}_{number} {{\n#line 1 "{page.name}"\n{kept}\n}}\n')
    return "\n".join([*includes, *body])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_code(page: Path) -> None:
    assert examples(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_tile_that_a_page_describes_is_that_of_its_code(page: Path) -> None:
    code = "\n".join(examples(page))
    for said in re.finditer(r"(\d+) x (\d+) outputs a block.*?(\d+) x (\d+) a thread", BLOCK.sub("", page.read_text("utf-8"))):
        assert [size for size in said.groups() if not re.search(rf"\b{size}\b", code)] == [], f"{page.name}: {said[0]}"


@pytest.mark.parametrize(("architecture", "only_newest"), only([("sm_90a", True)], [("sm_80", False), ("sm_90", False), ("sm_90a", True)]))
def test_the_examples_compile(architecture: str, only_newest: bool, tmp_path: Path) -> None:
    nvcc = find_toolchain(os.environ, installed_wheel_tree()).nvcc
    assert nvcc is not None
    source = tmp_path / "pages.cu"
    source.write_text(unit(only_newest), "utf-8")
    command = (
        nvcc.path,
        "-cubin",
        f"-arch={architecture}",
        "-std=c++17",
        "-Xptxas",
        "-v",
        "-o",
        str(tmp_path / "pages.cubin"),
        str(source),
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    spilled = [line for line in done.stderr.splitlines() if "spill" in line and " 0 bytes spill stores, 0 bytes spill loads" not in line]
    assert spilled == []
