"""The core's raw report (program counters, JSON lines) as profiles, problems and sites with source lines.

``read_report(text, symbolizer)`` is pure but for reading the debug information.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from assistant.emulator.protocol import SiteDetail
from assistant.emulator.symbolize import BlockPlace, Place, Symbolizer
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.problems import merge_problems
from assistant.model.profile import BlockExecution, Grade, LaunchProfile, LineAccess, LineExecution, Method, Problem, WorkSpread
from assistant.record import Record

__all__ = ["DEVICE", "Report", "error_name", "read_report"]

DEVICE = "emulator, sm_90 rules"
_WARP_LANES = 32
_BISECTIONS = 48
_NOT_COMPARED = "not compared with SASS"
_KIND_MASK, _COMPARE_AND_SWAP = 7, 16  # runtime/trace.h
_OPERATIONS = {0: "load", 1: "store", 2: "atomic"}
_BASIC_BLOCK = 3
_MISSED = re.compile(r"no (?:barrier|__syncwarp) orders it with")
_SPACES = ("global", "shared", "local")
_RACES = {
    "shared_race", "global_race", "possible_global_race", "possible_shared_race", "missing_syncwarp", "missing_fence",
    "possible_missing_fence",
}  # fmt: skip

_ERROR_NAMES = {
    1: "cudaErrorInvalidValue",
    2: "cudaErrorMemoryAllocation",
    9: "cudaErrorInvalidConfiguration",
    98: "cudaErrorInvalidDeviceFunction",
    700: "cudaErrorIllegalAddress",
    701: "cudaErrorLaunchOutOfResources",
    702: "cudaErrorLaunchTimeout",
    710: "cudaErrorAssert",
    716: "cudaErrorMisalignedAddress",
    719: "cudaErrorLaunchFailure",
    720: "cudaErrorCooperativeLaunchTooLarge",
    801: "cudaErrorNotSupported",
}
"""CUDA Runtime API, "Data types used by CUDA Runtime", enum cudaError."""


class Report(Record):
    """All launches of a run."""

    profiles: tuple[LaunchProfile, ...]
    sites: tuple[tuple[SiteDetail, ...], ...]
    """Parallel to ``profiles``."""
    problems: tuple[Problem, ...]
    launch_count: int
    unsupported: tuple[str, ...]


def error_name(code: int) -> str:
    """The ``cudaError_t`` name of a launch error."""
    return _ERROR_NAMES.get(code, f"cudaError {code}")


def read_report(text: str, symbolizer: Symbolizer) -> Report:
    """No text is a run without launches; a last line that was cut off is left out."""
    items = list(_items(text))
    launches = [item for item in items if "launch" in item]
    by_index = {item["launch"]: item for item in launches}
    for late in (item for item in items if "late" in item):
        by_index[late["late"]]["problems"].append(late["problem"])
    addresses = {site["pc"] for item in launches for site in item["sites"]}
    addresses |= {p[key] for item in launches for p in item["problems"] for key in ("pc", "other_pc")}
    places = symbolizer.places(addresses)
    blocks = symbolizer.blocks({site["pc"] for item in launches for site in item["sites"] if site["kind"] & _KIND_MASK == _BASIC_BLOCK})
    profiles: list[LaunchProfile] = []
    sites: list[tuple[SiteDetail, ...]] = []
    for item in launches:
        reader = _Launch(item, places, symbolizer.function_name(item["function"]), blocks)
        profiles.append(reader.profile())
        sites.append(reader.sites())
    counts = [item["launch"] + 1 for item in launches] + [item["launch_count"] for item in items if "launch_count" in item]
    unsupported = tuple(item["unsupported"] for item in items if "unsupported" in item)
    return Report(
        tuple(profiles),
        tuple(sites),
        merge_problems(p for profile in profiles for p in profile.problems),
        max(counts, default=0),
        unsupported,
    )


def _items(text: str) -> Iterable[dict[str, Any]]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


class _Branch(Record):
    """The end of a basic block at which lanes of a warp went different ways."""

    block: int
    """Address by which the block is known."""
    executions: int
    divergences: int


def _divergent_branches(sites: list[dict[str, Any]]) -> tuple[_Branch, ...]:
    """Lanes part at the end of a block, but are seen to at its last event: its start, or an access inside.

    Threads that come back from a function at different times part inside a block already: that is no branch of the block's.
    """
    blocks = sorted((s for s in sites if s["kind"] & _KIND_MASK == _BASIC_BLOCK), key=lambda s: s["pc"])
    starts = [block["pc"] for block in blocks]
    last: list[dict[str, Any]] = list(blocks)
    for site in sorted(sites, key=lambda s: s["pc"]):
        index = bisect_right(starts, site["pc"]) - 1
        if index >= 0:
            last[index] = site
    return tuple(
        _Branch(block["pc"], _event_executions(site), min(site["divergences"], _event_executions(site)))
        for block, site in zip(blocks, last, strict=True)
        if site.get("divergences")
    )


def _event_executions(site: dict[str, Any]) -> int:
    """Of a block's start, or of an access: one request in each space that it touches."""
    return (
        int(site["executions"]) if "executions" in site else sum(int(site[space][0]) for space in (*_SPACES, "constant") if space in site)
    )


def _of_grid(seen: int, blocks: int, each: float, most: int) -> int:
    """Distinct sectors of a grid of which some blocks were counted: these touch ``seen``, ``each`` of them so many; no more than ``most``.

    Blocks are taken to touch their sectors at random places of the data: m blocks of b sectors each touch U · (1 - (1 - b/U)^m) of U.
    Blocks that share nothing share nothing in the whole grid either.
    """
    low, high = float(seen), float(max(seen, most))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        is_covered = each < middle and middle * -math.expm1(blocks * math.log1p(-each / middle)) >= seen
        low, high = (low, middle) if is_covered else (middle, high)
    return round(high)


class _Launch:
    """One launch of the raw report."""

    def __init__(self, item: dict[str, Any], places: dict[int, Place], kernel: str, blocks: tuple[BlockPlace, ...]) -> None:
        self._item = item
        self._places = places
        self._all_blocks = blocks
        self._kernel = kernel
        grid, block = Dim3(*item["grid"]), Dim3(*item["block"])
        self._config = LaunchConfig(grid, block, item["shared_bytes"])
        self._blocks = grid.count
        self._counted: int = item["blocks_counted"]
        self._is_sampled = 0 < self._counted < self._blocks
        self._scale = self._blocks / self._counted if self._is_sampled else 1.0
        self._accesses: list[dict[str, Any]] = [s for s in item["sites"] if s["kind"] & _KIND_MASK in _OPERATIONS]
        self._basic_blocks: list[dict[str, Any]] = [s for s in item["sites"] if s["kind"] & _KIND_MASK == _BASIC_BLOCK]
        self._block_addresses = [s["pc"] for s in self._basic_blocks]

    def profile(self) -> LaunchProfile:
        item = self._item
        is_tracked = self._counted > 0
        return LaunchProfile(
            index=item["launch"],
            kernel=self._kernel,
            config=self._config,
            method=Method.EMULATOR,
            device=DEVICE,
            blocks_counted=self._counted,
            accesses=self._line_accesses(),
            executions=self._line_executions(),
            blocks=self._block_executions(),
            instructions=(),
            unique_sectors=item["unique_sectors"] if is_tracked and not self._is_sampled else None,
            block_unique_sectors=self._scaled(item["block_unique_sectors"]) if is_tracked else None,
            estimated_unique_sectors=self._estimated_unique_sectors() if is_tracked and self._is_sampled else None,
            atomic_unique_sectors=self._atomic_unique_sectors() if is_tracked else None,
            problems=self._problems(),
            file=item["file"],
            line=item["line"],
            spread=self._spread(),
        )

    def sites(self) -> tuple[SiteDetail, ...]:
        """One entry per site and address space."""
        racy = {p[key] for p in self._item["problems"] if p["kind"] in _RACES for key in ("pc", "other_pc")}
        return tuple(self._site(site, space, racy) for site in self._accesses for space in _SPACES if space in site)

    def _site(self, site: dict[str, Any], space: str, racy: set[int]) -> SiteDetail:
        place = self._places[site["pc"]]
        requests, lanes, units, ideal_units, tags, passes = (self._scaled(n) for n in site[space])
        return SiteDetail(
            file=place.file,
            line=place.line,
            op=_operation(space, site),
            size_bytes=site["size"],
            requests=requests,
            lanes=lanes,
            units=units,
            ideal_units=ideal_units,
            block_executions=self._scaled(self._executions_at(site["pc"])),
            is_unordered=site["pc"] in racy or "unordered" in site or bool(site["kind"] & _COMPARE_AND_SWAP),
            function=place.function,
            address=site["pc"],
            tags=tags,
            passes=passes,
            doubtful_requests=self._scaled(site.get("doubtful", 0)) if space != "local" else 0,
            serial_wavefronts=self._scaled(site.get("serial", 0)) if space == "shared" else 0,
        )

    def _estimated_unique_sectors(self) -> int:
        """Estimate for the whole grid, from how much the counted blocks share."""
        seen, of_blocks = self._item["unique_sectors"], self._item["block_unique_sectors"]
        most = self._scaled(of_blocks)
        return min(_of_grid(seen, self._counted, of_blocks / self._counted, most), most)

    def _atomic_unique_sectors(self) -> int | None:
        """Counted, or estimated from the counted blocks: each is taken to update as many sectors as one of its warps does at once.

        It may update more, and share more of them with the others than this tells: the estimate is rather too high.
        """
        seen: int = self._item["atomic_unique_sectors"]
        if not seen or not self._is_sampled:
            return seen or None
        atomics = [s["global"] for s in self._accesses if _OPERATIONS[s["kind"] & _KIND_MASK] == "atomic" and "global" in s]
        requests, sectors = (sum(int(counts[index]) for counts in atomics) for index in (0, 2))
        return _of_grid(seen, self._counted, max(1.0, sectors / max(1, requests)), self._scaled(seen))

    def _spread(self) -> WorkSpread | None:
        total, longest_warp, longest_block, squares = self._item["steps"]
        if not total:
            return None
        block_mean = total / self._counted
        return WorkSpread(
            longest_warp_ratio=longest_warp * math.ceil(self._config.block.count / _WARP_LANES) / block_mean,
            longest_block_ratio=longest_block / block_mean,
            block_deviation_ratio=math.sqrt(max(0.0, squares / self._counted / block_mean**2 - 1)),
        )

    def _scaled(self, count: int) -> int:
        return round(count * self._scale)

    def _executions_at(self, address: int) -> int:
        """Executions of the basic block that holds the address: the nearest one that starts before it."""
        index = bisect_right(self._block_addresses, address) - 1
        return self._basic_blocks[index]["executions"] if index >= 0 else 0

    def _line_accesses(self) -> tuple[LineAccess, ...]:
        lines: dict[tuple[str, int, str], list[tuple[int, list[int]]]] = {}
        for site in self._accesses:
            place = self._places[site["pc"]]
            for space in _SPACES:
                if space in site:
                    lines.setdefault((place.file, place.line, _operation(space, site)), []).append((site["size"], site[space]))
        return tuple(self._line_access(key, sites) for key, sites in sorted(lines.items()))

    def _line_access(self, key: tuple[str, int, str], sites: list[tuple[int, list[int]]]) -> LineAccess:
        requests, lanes, units, ideal, tags, passes = (self._scaled(sum(counts[i] for _, counts in sites)) for i in range(6))
        is_shared = key[2].startswith("shared")
        reason = _NOT_COMPARED
        if self._is_sampled:
            reason = f"{self._counted} of {self._blocks} blocks counted"
        return LineAccess(
            file=key[0],
            line=key[1],
            op=key[2],
            size_bytes=max(size for size, _ in sites),
            requests=requests,
            active_threads=lanes,
            sectors=None if is_shared else units,
            ideal_sectors=None if is_shared else ideal,
            wavefronts=units if is_shared else None,
            ideal_wavefronts=ideal if is_shared else None,
            grade=Grade.ESTIMATED,
            grade_reason=reason,
            tags=tags if key[2].startswith("global") else None,
            passes=passes if key[2] == "global load" else None,
        )

    def _block_executions(self) -> tuple[BlockExecution, ...]:
        """Every block of the functions that ran, with 0 where it did not."""
        partings = {branch.block: branch.divergences for branch in _divergent_branches(self._item["sites"])}
        counted = {
            site["pc"]: tuple(self._scaled(count) for count in (site["executions"], site["lanes"], partings.get(site["pc"], 0)))
            for site in self._basic_blocks
        }
        functions = {block.function for block in self._all_blocks if block.address in counted}
        return tuple(
            BlockExecution(block.address, block.places, *counted.get(block.address, (0, 0, 0)))
            for block in self._all_blocks
            if block.function in functions
        )

    def _line_executions(self) -> tuple[LineExecution, ...]:
        """A line with several basic blocks ran as often as its busiest one; its branches count together."""
        lines: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for site in self._basic_blocks:
            place = self._places[site["pc"]]
            lines.setdefault((place.file, place.line), []).append(site)
        partings: Counter[tuple[str, int]] = Counter()
        for site in self._item["sites"]:
            place = self._places[site["pc"]]
            partings[place.file, place.line] += site.get("divergences", 0)
        branches: dict[tuple[str, int], list[_Branch]] = {}
        ends = {block.address: block.branch for block in self._all_blocks}
        by_address = {site["pc"]: site for site in self._basic_blocks}
        for branch in _divergent_branches(self._item["sites"]):
            start = self._places[branch.block]
            key = ends.get(branch.block) or (start.file, start.line)
            lines.setdefault(key, [by_address[branch.block]])  # a condition inside a block that begins on another line
            branches.setdefault(key, []).append(branch)
        return tuple(
            LineExecution(
                file,
                line,
                self._scaled(max(s["executions"] for s in sites)),
                self._scaled(max(s["lanes"] for s in sites)),
                self._scaled(sum(b.divergences for b in branches.get((file, line), ()))),
                self._scaled(sum(b.executions for b in branches.get((file, line), ()))),
                self._scaled(partings.get((file, line), 0)),
            )
            for (file, line), sites in sorted(lines.items())
        )

    def _problems(self) -> tuple[Problem, ...]:
        problems = (self._problem(p) for p in self._item["problems"])
        return merge_problems(p for p in problems if not _is_one_barrier(p))

    def _problem(self, p: dict[str, Any]) -> Problem:
        place, other = self._places[p["pc"]], self._places[p["other_pc"]]
        is_placed = p["pc"] != 0
        has_other = p["other_pc"] != 0
        return Problem(
            kind=p["kind"],
            message=_within_line(p["message"]) if has_other and (place.file, place.line) == (other.file, other.line) else p["message"],
            file=place.file if is_placed else self._item["file"],
            line=place.line if is_placed else self._item["line"],
            other_file=other.file if has_other else None,
            other_line=other.line if has_other else None,
            block=tuple(p["block"]) if is_placed else None,
            thread=tuple(p["thread"]) if is_placed else None,
            address=p["address"] or None,
            count=p["count"],
            kernel=self._kernel,
            argument=None if p["argument"] < 0 else p["argument"],
            offset_bytes=None if p["argument"] < 0 else p["offset"],
        )


def _operation(space: str, site: dict[str, Any]) -> str:
    return f"{space} {_OPERATIONS[site['kind'] & _KIND_MASK]}"


def _within_line(message: str) -> str:
    """Of a line that races with itself: no barrier and no ``__syncwarp`` can stand between its accesses, so that none is missed."""
    return _MISSED.sub("nothing orders it with", message)


def _is_one_barrier(problem: Problem) -> bool:
    """The compiler copied one barrier of the source: its threads do wait for each other."""
    is_pair = problem.kind == "barrier_divergence" and problem.other_line is not None
    return is_pair and (problem.file, problem.line) == (problem.other_file, problem.other_line)
