"""The documentation says what is there: links resolve, commands and options exist, generated pages are current."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

from assistant.cli import exit_codes
from assistant.plan.catalogue import load_catalogue
from jupyter_ext.magic import KernelOptMagics

ROOT = Path(__file__).resolve().parents[3]
_FOLDERS = (ROOT / "docs").rglob("*.md"), (ROOT / "prompts" / "techniques").glob("*.md")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *chain(*_FOLDERS)])
USER_PAGES = [page for page in PAGES if not {"findings", "techniques", "code-map.md", "CONTRIBUTING.md"}.intersection(page.parts)]
FOREIGN_OPTIONS = frozenset(
    (
        "--help",
        "--host",  # dask's
        "--kernelopt-device",  # pytest's
        "--use_fast_math",
        "--ftz",
        "--prec-div",
        "--prec-sqrt",
        "--no-index",
        "--section",
        "--import-source",
        "--set",
        "--group",
        "--seed",
        "--count",
        "--num_processes",  # accelerate's
        "--judge",  # of the training recipe
        "--judge-device",
    ),
)
"""Options of compilers, git, ncu, pip, benchmarks/mutation.py and a training, and the one that every command has."""

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.M | re.S)
_CODE = re.compile(r"^```\w*\n(.*?)^```|^ {4,}(\S.*)$|`([^`\n]+)`", re.M | re.S)
_COMMAND = re.compile(r"(?<![\w/.%-])kernelopt +([a-z][a-z-]*)(?: +([a-z]+)\b)?")
_MAGIC = re.compile(r"(?<!%)%kernelopt +([a-z]+)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z_-]+")


def generate() -> ModuleType:
    """``docs/generate.py``, which is a script and in no package."""
    if (known := sys.modules.get("docs_generate")) is not None:
        return known
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_generate"] = module
    spec.loader.exec_module(module)
    return module


def codes(page: Path) -> Iterator[str]:
    """What stands as code on a page: fenced, indented and between backticks."""
    for match in _CODE.finditer(page.read_text("utf-8")):
        yield next(text for text in match.groups() if text is not None)


def anchors(page: Path) -> set[str]:
    """The anchors GitHub gives to a page's headings."""
    prose = _FENCED.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ +(.*)$", prose, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in _LINK.findall(_FENCED.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{name(page)} links to {target}"
        assert not anchor or anchor in anchors(found), f"{name(page)} links to {target}, a heading that is not there"


@pytest.mark.parametrize("page", USER_PAGES, ids=name)
def test_every_command_on_a_page_exists(page: Path) -> None:
    known = generate().command_paths()
    groups = {words[0] for words in known if len(words) > 1}
    for code in codes(page):
        for first, second in _COMMAND.findall(code):
            assert first in {words[0] for words in known}, f"{name(page)}: kernelopt {first}"
            assert first not in groups or not second or (first, second) in known, f"{name(page)}: kernelopt {first} {second}"


@pytest.mark.parametrize("page", USER_PAGES, ids=name)
def test_every_verb_of_the_line_magic_on_a_page_exists(page: Path) -> None:
    for code in codes(page):
        assert set(_MAGIC.findall(code)) <= set(KernelOptMagics.completions("%kernelopt")), f"{name(page)}: {code}"


@pytest.mark.parametrize("page", USER_PAGES, ids=name)
def test_every_option_on_a_page_exists(page: Path) -> None:
    known = {option for command in generate().command_paths().values() for p in command.params for option in (*p.opts, *p.secondary_opts)}
    known.update(*map(KernelOptMagics.completions, ("%kernelopt", "%%kernelopt")))
    strange = {option for code in codes(page) for option in _OPTION.findall(code)} - known - FOREIGN_OPTIONS
    assert not strange, f"{name(page)}: {', '.join(sorted(strange))}"


def test_every_command_is_in_the_readme_or_the_reference() -> None:
    reference = anchors(ROOT / "docs" / "reference" / "cli.md")
    assert {"-".join(words) for words in generate().command_paths()} <= reference


def test_generated_pages_are_current() -> None:
    for path, text in generate().generated():
        assert path.read_text("utf-8") == text, f"{name(path)} is old: python docs/generate.py"


def test_every_finding_code_has_a_page_in_the_index() -> None:
    folder = ROOT / "docs" / "reference" / "findings"
    source = "".join(path.read_text("utf-8") for path in (ROOT / "assistant" / "profile").rglob("*.py"))
    used = set(re.findall(r"\bKO\d{3}\b", source))
    index = (folder / "index.md").read_text("utf-8")
    assert used == {page.stem for page in folder.glob("KO*.md")}
    assert all(f"]({code}.md)" in index for code in used)


def test_every_technique_answers_findings_that_exist() -> None:
    pages = {page.stem for page in (ROOT / "docs" / "reference" / "findings").glob("KO*.md")}
    techniques = load_catalogue(ROOT / "prompts" / "techniques").techniques
    assert {technique.id for technique in techniques} == {page.stem for page in (ROOT / "prompts" / "techniques").glob("*.md")}
    assert all(set(technique.findings) <= pages for technique in techniques)


def test_the_reference_lists_every_exit_code() -> None:
    table = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)}
    assert listed == {value for key, value in vars(exit_codes).items() if key.isupper()}


def test_every_page_is_reached_from_the_index() -> None:
    reached, waiting = set[Path](), [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        targets = (t.partition("#")[0] for t in _LINK.findall(page.read_text("utf-8")) if not re.match(r"[a-z]+:", t))
        waiting += [(page.parent / target).resolve() for target in targets if target]
    assert set((ROOT / "docs").rglob("*.md")) <= reached
