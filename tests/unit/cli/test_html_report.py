"""The page of ``profile --html``: well-formed, safe against any source text, complete, and it loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape

from assistant.cli.html_report import page_path, render_page, with_page
from assistant.engine.report.profile_parts import line_heat
from assistant.engine.report.profile_report import KernelReport, LaunchReport, ProfileReport
from assistant.errors import UsageError
from assistant.model import event_parts, events
from assistant.model.build import KernelResources, Occupancy
from assistant.model.comparison import ModelTerm, PredictedTime
from assistant.model.profile import Evidence, Grade, InstructionMix, Method, Severity
from assistant.model.roofline import Ceiling, Point, Roofline
from assistant.profile.timeline_words import headline
from assistant.workload.timeline import TimedWork, build_timeline, work_of

FILE = "/w/a.cu"
TEXT = "__global__ void k(float *o)\n{\n    o[threadIdx.x * 8] = 1.0f; // {comment}\n}\n"
HOSTILE = '</script><script>alert(1)</script>"><img src=http://evil.example/x onerror=alert(2)>'
VOID = {"meta", "line", "circle", "br"}

STORE = event_parts.ProfileLine(FILE, 3, "global store", 100, 3200, 800, 400, None, None, "estimated", "loops were unrolled")
SHARED = event_parts.ProfileLine(FILE, 3, "shared load", 10, 320, None, None, 40, 10, "exact", "")
FOREIGN = event_parts.ProfileLine("/w/b.cuh", 9, "global load", 7, 224, 28, 28, None, None, "exact", "")
FINDING = event_parts.ProfileFinding("KO101", 3, "warning", "A store touches 8 sectors", ("E1",), 0.25)
FACT = Evidence("E1", "global_sectors", 800.0, "sectors", 3, Method.EMULATOR, "emulator, sm_90 rules", Grade.ESTIMATED)


def launch(name: str = "k(float*)", points: tuple[Point, ...] = ()) -> LaunchReport:
    device = event_parts.Device("CPU emulator", "cpu", "h200")
    mix = InstructionMix(fp32=3200, load_store=6400)
    lines = (STORE, SHARED, FOREIGN)
    return LaunchReport(
        profile=events.Profile(
            "J1", name, name, 0, (4, 1, 1), (32, 1, 1), 0, device, "emulator", {}, mix, lines, (FINDING,), (FACT,), ()
        ),
        summary=events.ProfileSummary("J1", name, name, (4, 1, 1), (32, 1, 1), 0, 2, "l2", 2e-6),
        predicted=PredictedTime(2e-6, "l2", (ModelTerm("l2", 2e-6, ()), ModelTerm("launch", 1e-6, ())), "h200", ("no unique sectors",)),
        occupancy=Occupancy(32, 64, 32, "blocks"),
        roofline=Roofline(points, CEILINGS, "h200"),
        heat=line_heat(lines),
    )  # fmt: skip


CEILINGS = (
    Ceiling("DRAM", 4.8e12, None),
    Ceiling("L2", 5.5e12, None),
    Ceiling("L1", 33.5e12, None),
    Ceiling("fp32", None, 66.9e12),
    Ceiling("fp64", None, 33.5e12),
)


def report(name: str = "k(float*)", text: str = TEXT, points: tuple[Point, ...] = ()) -> ProfileReport:
    resources = KernelResources(name, "_Z1kPf", "sm_90", 12, 0, 0, 0, 128, 0)
    shown = (launch(name, points),)
    return ProfileReport(Path(FILE), text, (KernelReport(name, name, 1, ((1, 4),), resources, 4e-6, shown),), 0)


LOG: tuple[events.Event, ...] = (
    events.JobStarted("J1", "profile", FILE, "CPU emulator", "no GPU"),
    events.Message("J1", Severity.WARNING, "no CUDA compiler was found", "install kernelopt[cuda]"),
)


class Tree(HTMLParser):
    """Checks nesting as it parses; collects tags, ids, text and the numbers that carry ``data-value``."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        last = self.open.pop()
        assert last == tag, f"</{tag}> inside <{last}>"

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.tags if name == tag)

    def values(self, name: str) -> list[str | None]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]


POINTS = (Point("DRAM", 0.5, 1e11, 2e12), Point("L2", 0.25, 1e11, 1.4e12))


@pytest.mark.parametrize("points", [(), POINTS], ids=["no arithmetic", "a roofline"])
def test_the_page_is_well_formed_and_every_link_has_its_target(points: tuple[Point, ...]) -> None:
    tree = Tree(render_page(report(points=points), LOG))
    ids = tree.values("id")
    assert len(ids) == len(set(ids))
    links = tree.values("href")
    assert links and all(link is not None and link.removeprefix("#") in ids for link in links)
    assert sum(tag == "h1" for tag, _ in tree.tags) == 1


def test_the_program_stands_above_its_kernels_with_a_bar_for_each_stream() -> None:
    work = [
        TimedWork(work_of("launch", name), stream, start_s, start_s + 1.0) for name, stream, start_s in (("k()", 0, 0), (HOSTILE, 1, 3))
    ]
    timeline = build_timeline([*work, TimedWork(work_of("copy_to_host"), 0, 1.0, 2.0, 64)], notes=("it rests on this",))
    page = render_page(report(), (*LOG, events.TimelineFound("J1", headline(timeline), timeline, "one run", "main.cu")))
    tree = Tree(page)
    assert 0 < page.index(escape(headline(timeline))) < page.index("Kernels, by predicted time")
    assert [attributes.get("class") for attributes in tree.named("svg")].count("stream") == 2
    assert [attributes["class"] for attributes in tree.named("rect") if "class" in attributes] == ["kernel", "copy", "kernel"]
    assert "main.cu: 4 s from first start to last end; measured: one run." in page and "It rests on this." in page
    assert HOSTILE not in page and "k: 1 s, from 0 ns" in page
    assert 'id="program"' not in render_page(report(), LOG)


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    page = render_page(report(points=POINTS), LOG)
    tree = Tree(page)
    assert not re.search(r"https?:|url\(|@import|//[a-z]+\.[a-z]", page)
    forbidden = {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not forbidden & {tag for tag, _ in tree.tags}
    assert not [name for _, attributes in tree.tags for name in attributes if name.startswith("on") or name in ("style", "src")]


def test_the_policy_allows_the_page_s_own_style_and_nothing_else() -> None:
    page = render_page(report(), LOG)
    policy = next(m["content"] for m in Tree(page).named("meta") if m.get("http-equiv") == "Content-Security-Policy")
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None and policy is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_hostile_names_comments_and_messages_stay_text() -> None:
    hostile = report(HOSTILE, TEXT.replace("{comment}", HOSTILE))
    page = render_page(hostile, (*LOG, events.Message("J1", Severity.WARNING, HOSTILE, HOSTILE)))
    tree = Tree(page)
    assert not {"script", "img"} & {tag for tag, _ in tree.tags}
    assert tree.text.count(HOSTILE) >= 5, "it is shown, as text"


def test_every_line_of_the_kernel_is_shown_with_its_heat_and_counters() -> None:
    tree = Tree(render_page(report(), LOG))
    for line in TEXT.splitlines():
        assert line in tree.text
    shown = {(a["data-op"], a["data-line"], a["data-counter"]): a["data-value"] for a in tree.named("span") if "data-counter" in a}
    assert shown == {
        ("global store", "3", "requests"): "100",
        ("global store", "3", "active_threads"): "3200",
        ("global store", "3", "sectors"): "800",
        ("global store", "3", "ideal_sectors"): "400",
        ("shared load", "3", "requests"): "10",
        ("shared load", "3", "active_threads"): "320",
        ("shared load", "3", "wavefronts"): "40",
        ("shared load", "3", "ideal_wavefronts"): "10",
        ("global load", "9", "requests"): "7",
        ("global load", "9", "active_threads"): "224",
        ("global load", "9", "sectors"): "28",
        ("global load", "9", "ideal_sectors"): "28",
    }
    assert "100 % sectors" in tree.text and "100 % waves" in tree.text


@pytest.mark.parametrize(
    "fact",
    [
        "L2 bandwidth",
        "2 µs",
        "nothing was timed",
        "32 of 64 warps per SM; limited by blocks",
        "12 per thread",
        "Fixing it alone is predicted to save 25 % of the time",
        "emulator, sm_90 rules",
        "What it means",
        "Line 3: loops were unrolled",
        "Predicted time: no unique sectors",
        "no CUDA compiler was found — try: install kernelopt[cuda]",
        "6,400",
        "/w/b.cuh:9",
    ],
)
def test_the_page_says(fact: str) -> None:
    assert fact in Tree(render_page(report(), LOG)).text


def test_what_needs_a_compiler_is_said_to_be_unknown_without_one() -> None:
    kernel = report().kernels[0]
    bare = replace(kernel.launches[0], occupancy=None, profile=replace(kernel.launches[0].profile, instructions=InstructionMix()))
    page = replace(report(), kernels=(replace(kernel, resources=None, launches=(bare,)),))
    text = Tree(render_page(page, LOG)).text
    assert text.count("needs a CUDA compiler") == 2
    assert "No machine code, so no instruction counts" in text


def test_a_roofline_names_its_axes_ceilings_and_points() -> None:
    text = Tree(render_page(report(points=POINTS), LOG)).text
    for words in ("operations per byte (logarithmic)", "operations per second (logarithmic)", "DRAM 4.8 TB/s", "fp64 33.5 Top/s"):
        assert words in text
    assert "0.25 op/byte" in text and "100 Gop/s" in text


def test_heat_is_each_line_s_share_of_the_excess() -> None:
    other = replace(STORE, line=4, sectors=600, ideal_sectors=400)
    hot = line_heat((STORE, other, SHARED, FOREIGN))
    shown = [(item.line, item.excess_sectors, round(item.sectors_ratio, 3), item.excess_wavefronts) for item in hot]
    assert shown == [(3, 400, 0.667, 30), (4, 200, 0.333, 0)]


@pytest.mark.parametrize("name", ["a.cu", "a", "missing/a.html"])
def test_a_page_never_overwrites_a_source_and_needs_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        page_path(tmp_path / name)


async def test_the_page_is_written_before_the_last_event(tmp_path: Path) -> None:
    path = tmp_path / "a.html"

    async def profile(keep: object) -> object:
        keep(report())  # type: ignore[operator]
        yield LOG[0]
        yield events.JobEnded("J1", 0, "1 kernel profiled")

    told = [event async for event in with_page(profile, path)]  # type: ignore[arg-type]
    assert [type(event) for event in told] == [events.JobStarted, events.Message, events.JobEnded]
    assert path.read_text("utf-8").startswith("<!doctype html>")
