"""``profile --html``: the page's numbers are the events' numbers."""

from __future__ import annotations

import html
import re

import pytest

from tests.e2e.cli.harness import Cli

COUNTER = re.compile(r'data-op="([^"]*)" data-line="(\d+)" data-counter="(\w+)" data-value="(\d+)"')
FACT = re.compile(r'data-(?:fact|evidence)="(\w+)" data-value="([^"]*)"')
NAMES = ("requests", "active_threads", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")


def test_the_page_shows_the_numbers_of_the_events(cli: Cli) -> None:
    page = cli.folder / "out.html"
    ended = cli.run("profile", cli.example("bank_conflicts.cu"), "--html", page, "--json")
    assert ended.code == 0, ended.said
    text = page.read_text("utf-8")
    profiles = ended.all("profile")
    expected = sorted(
        (line["op"], line["line"], name, line[name]) for event in profiles for line in event["lines"] for name in NAMES if name in line
    )
    assert sorted((op, int(line), name, int(value)) for op, line, name, value in COUNTER.findall(text)) == expected
    facts = dict(FACT.findall(html.unescape(text)))
    summary = ended.one("profile_summary")
    assert float(facts["predicted_time_s"]) == summary["predicted_time_s"]
    assert facts["bottleneck"] == summary["bottleneck"]
    cited = {fact["id"]: fact["value"] for event in profiles for fact in event["evidence"]}
    shown = {name: float(value) for name, value in facts.items() if name.startswith("E")}
    assert shown and shown == {name: cited[name] for name in shown}
    assert any(message["message"] == f"page written: {page}" for message in ended.all("message"))


@pytest.mark.thorough
def test_a_source_with_a_comment_in_latin_1_has_a_page(cli: Cli) -> None:
    path = cli.folder / "latin.cu"
    source = "__global__ void k(int *p) { p[threadIdx.x] = 1; } // für alle\nint main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); }\n"
    path.write_bytes(source.encode("latin-1"))
    ended = cli.run("profile", path, "--html", "page.html")
    assert ended.code == 0, ended.said
    assert "f\ufffdr alle" in (cli.folder / "page.html").read_text("utf-8")


def test_a_page_in_the_place_of_a_source_is_misuse(cli: Cli) -> None:
    source = cli.small("transpose.cu")
    before = source.read_text("utf-8")
    ended = cli.run("profile", source, "--html", source)
    assert ended.code == 2
    assert ".html" in ended.err
    assert source.read_text("utf-8") == before


def test_no_page_is_written_of_a_source_that_does_not_build(cli: Cli) -> None:
    page = cli.folder / "out.html"
    ended = cli.run("profile", cli.write("broken.cu", "__global__ void k() { int x = ; }\nint main() { k<<<1, 1>>>(); }\n"), "--html", page)
    assert ended.code != 0
    assert not page.exists()
