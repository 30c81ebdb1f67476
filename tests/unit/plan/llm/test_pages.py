"""Which pages of techniques a model is shown: of the costliest findings, of the kernel's shape, of a step with a name of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assistant.build.architectures import architecture
from assistant.model.plan import Step
from assistant.model.profile import Finding, Severity
from assistant.plan.llm.pages import page_of, pages_for
from tests.unit.plan.llm.bed import TEXT, catalogue, request_of

SOFTMAX = TEXT.replace("        out[x * n + y]", "        for (int k = 0; k < n; ++k) by += expf(in[k]);\n        out[x * n + y]")


def found(*costs: tuple[str, float | None]) -> tuple[Finding, ...]:
    return tuple(Finding(code, "k", 14, Severity.WARNING, "", (), cost) for code, cost in costs)


def pages(*costs: tuple[str, float | None], text: str = TEXT, **changes: Any) -> list[str]:
    names = {technique.text: technique.id for technique in catalogue()}
    return [names[page] for page in pages_for(catalogue(), request_of(text, findings=found(*costs), **changes))]


def test_pages_of_the_costliest_findings_come_first_and_no_finding_fills_them_all() -> None:
    shown = pages(("KO113", None), ("KO101", 0.1), ("KO103", 0.6))
    assert shown == ["shared-memory-padding", "block-shuffles", "coalescing-interchange"]


def test_a_page_is_shown_for_what_its_front_matter_says() -> None:
    assert pages(("KO111", 0.5)) == ["block-to-grid", "loop-to-grid", "split-k"]
    assert pages(("KO101", 0.5), ("KO102", 0.5)) == ["coalescing-interchange", "staged-store", "register-tile"]
    assert pages(text=SOFTMAX) == ["online-softmax"] and pages(text=TEXT.replace("return value", "return expf(value)")) == []


@pytest.mark.parametrize(
    ("name", "is_emulated", "extra"),
    [
        ("sm_75", False, []),
        ("sm_80", False, ["tensor-cores"]),
        ("sm_90", True, ["tensor-cores"]),
        ("sm_90", False, ["tensor-cores", "warpgroup-mma"]),
        ("sm_100", False, ["tensor-cores"]),
    ],
)
def test_a_product_is_shown_the_units_that_its_gpu_has(name: str, is_emulated: bool, extra: list[str]) -> None:
    shown = pages(("KO108", 0.5), architecture=architecture(name), is_emulated=is_emulated)
    assert shown == ["async-copy", "shared-tile", "register-tile", *extra]


@pytest.mark.parametrize(
    ("technique", "title", "finding", "page"),
    [
        ("split-k", None, "KO108", "split-k"),
        ("my-wmma", "Use tensor cores", "KO108", "tensor-cores"),
        ("two-level-tile", "A register tile for each thread", "KO108", "register-tile"),
        ("something", None, "KO114", "loop-unrolling"),
        ("something", None, "KO999", None),
        ("something", None, "", None),
    ],
)
def test_a_step_with_a_name_of_its_own_is_shown_the_nearest_page_of_its_finding(
    technique: str, title: str | None, finding: str, page: str | None
) -> None:
    step = replace(Step(technique, "k", 14, "", (), finding, (), 1.0), title=title)
    made = page_of(catalogue(), request_of(findings=found(("KO108", 0.5))), step)
    assert (made and made.id) == page
