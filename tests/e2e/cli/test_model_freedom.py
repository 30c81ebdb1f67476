"""Rewrites of whole regions by a scripted model: the wrong one is found out, the right one is judged on, both are labelled."""

from __future__ import annotations

import json

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import EXPLANATION, LONG_S, ONE_VARIANT, ScriptedModel, asked_by, outcomes, plan, step
from tests.endpoint.server import ReceivedRequest, Says
from tests.rewrites import Rewritten, rewritten

_QUICK = ("fused",)
_ALLOWED = "host,arch,alignment,order,precision,assumption"
_CASES = [
    pytest.param(each, id=each.name, marks=() if each.name in _QUICK else pytest.mark.thorough) for each in rewritten() if each.lab == "cpu"
]


@pytest.mark.thorough
@pytest.mark.parametrize("case", _CASES)
def test_a_rewrite_is_judged_by_what_it_does(cli: Cli, case: Rewritten) -> None:
    program = case.text("program.cu")
    line = program[: program.index("__global__")].count("\n") + 1
    model = ScriptedModel([plan(step("rewrite", line)), plan()], [case.text("wrong.md"), case.text("right.md")])
    with asked_by(cli, model, search=ONE_VARIANT):
        path = cli.write(f"{case.name}.cu", program)
        ended = cli.run("optimize", path, "--kernel", case.kernel, "--planner", "llm", "--json", "--allow", _ALLOWED, deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    assert outcomes(ended)[:2] == ["failed", case.right_outcome]
    if case.right_outcome == "kept":
        proposal = ended.one("proposal")
        assert proposal["verification"]["outcome"] in ("PASS", "NEEDS_DECISION")
        assert set(case.labels) <= set(proposal["labels"])
    asked = model.questions("code_reply")[0]
    assert "Host code may be edited" in asked and "Edits are tried without a GPU" in asked


@pytest.mark.thorough
def test_a_search_goes_on_with_the_kernel_that_others_were_fused_into(cli: Cli) -> None:
    case = next(each for each in rewritten() if each.name == "fused")
    fused = case.text("right.md")
    kernel = fused[fused.index("__global__") : fused.index("```\n\n```cuda part=add_bias")]
    wrong = f"```cuda part=kernel\n{kernel.replace('i % c', '(i + 1) % c')}```\n"

    def answered(asked: ReceivedRequest) -> Says:
        question, wanted = asked.body["messages"][-1]["content"], asked.body.get("response_format")
        if wanted is not None and wanted["json_schema"]["name"] == "explanation_reply":
            return Says(json.dumps(EXPLANATION))
        if wanted is None:
            return Says(wrong if "`off-by-one`" in question else fused)
        if "`scale_bias_relu(" in question.partition("\n")[0]:
            return Says(plan() if "off-by-one" in question else plan(step("off-by-one", 5)))
        is_first = "`scale(" in question.partition("\n")[0] and "What was tried" not in question
        return Says(plan(step(case.name, 4)) if is_first else plan())

    settings = ONE_VARIANT | {"repairs": 0, "patience_rounds": 1}
    with asked_by(cli, answered, search=settings):  # type: ignore[arg-type]  # any script
        path = cli.write("layer.cu", case.text("program.cu"))
        ended = cli.run("optimize", path, "--planner", "llm", "--json", "--allow", "host", "--accept", "none", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    first, second = ended.all("candidate")[:2]
    assert (first["technique"], first["outcome"], second["technique"], second["outcome"]) == (case.name, "kept", "off-by-one", "failed")
    assert f"{first['kernel']}: scale_bias_relu takes its place in the version that is built upon" in [
        message["message"] for message in ended.all("message")
    ]


@pytest.mark.thorough
def test_host_code_of_a_model_runs_limited(cli: Cli) -> None:
    program, stolen = next(each for each in rewritten() if each.name == "fused").text("program.cu"), cli.folder / "stolen"
    wrapper = program[program.index("void layer") : program.index("\n\nint main")]
    writes = f'{{\n    if (FILE *file = fopen("{stolen}", "w")) fclose(file);\n'
    answer = f'{{"summary": "Scale."}}\n\n```cuda part=layer\n{wrapper.replace("{", writes, 1)}\n```\n'
    model = ScriptedModel([plan(step("rewrite", 4)), plan()], [answer])
    with asked_by(cli, model, search=ONE_VARIANT | {"repairs": 0}):
        path = cli.write("fused.cu", program)
        ended = cli.run("optimize", path, "--kernel", "scale", "--planner", "llm", "--json", "--allow", "host", deadline_s=LONG_S)
    assert outcomes(ended) == ["not_better"], "it ran, and wrote nothing"
    assert not stolen.exists()


@pytest.mark.thorough
def test_host_code_that_was_not_allowed_is_refused_before_it_is_built(cli: Cli) -> None:
    case = next(each for each in rewritten() if each.name == "fused")
    model = ScriptedModel([plan(step("fuse", 4)), plan()], [case.text("right.md")])
    with asked_by(cli, model, search=ONE_VARIANT):
        path = cli.write("fused.cu", case.text("program.cu"))
        ended = cli.run("optimize", path, "--kernel", case.kernel, "--planner", "llm", "--json", deadline_s=LONG_S)
    assert outcomes(ended) == ["unwritten"]
    assert "host code may not be edited here" in ended.one("candidate")["reason"]
    assert "Host code may not be edited here" in model.questions("code_reply")[0]
