"""Answers as strong models write them: code in fences, drafts first, several tries, cut ends."""

from __future__ import annotations

import json

import pytest

from assistant.plan.llm.first_kernel import WHOLE_FILE
from assistant.plan.llm.reading.answers import CODE, PLAN, BadReply
from assistant.plan.llm.reading.schemas import CodeReply, PlanReply

HEADER = '{"summary": "Pad the tile.", "launches": [], "includes": [], "assumptions": [], "risks": ["readability"]}'
FENCE = "```cuda part=kernel\n__global__ void k(float* x)\n{\n    if (x) { x[0] = 1; }\n}\n```\n"
KERNEL = "__global__ void k(float* x)\n{\n    if (x) { x[0] = 1; }\n}"


def read(text: str) -> CodeReply:
    answer = CODE.read(text)
    assert isinstance(answer, CodeReply), answer
    return answer


def parts(text: str) -> dict[str, str]:
    return {part.part: part.code for part in read(text).parts}


def problem(text: str) -> str:
    answer = CODE.read(text)
    assert isinstance(answer, BadReply), answer
    return answer.problem


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}\n{FENCE}",
        f"```json\n{HEADER}\n```\n\n{FENCE}",
        f"{HEADER}\n{FENCE.replace('part=kernel', 'kernel')}",
        f"{HEADER}\n{FENCE.replace(' part=kernel', ':kernel')}",
        f"{HEADER}\n{FENCE.replace(' part=kernel', '')}",
        f"{HEADER}\n{FENCE.replace('cuda part=kernel', 'cpp').replace('__global__', '// part: kernel' + chr(10) + '__global__', 1)}",
        f"{HEADER}\n{FENCE.replace('```', '~~~~')}",
        f"Here is the edit, as {{asked}}.\n{HEADER}\nThe kernel:\n{FENCE}It keeps one element `{{x}}` a thread.",
        f"{FENCE}\n{HEADER}",
        f"```markdown\n{HEADER}\n{FENCE}```\n",
        f"```markdown\n{HEADER}\n{FENCE}",
        f"````md\n{HEADER}\n{FENCE}````",
        f"````\n{HEADER}\n\n{FENCE}````\n",
        f"```\n{HEADER}\n```\n{FENCE}",
        f"````\n{HEADER}\n````\n{FENCE.replace('```', '````')}",
        f"\ufeff{FENCE}{HEADER}",
        f"{HEADER}\n{FENCE}".replace("\n", "\r\n"),
    ],
)
def test_code_comes_in_a_fence_behind_or_in_front_of_its_header(text: str) -> None:
    assert {name: code.replace("\r", "").strip() for name, code in parts(text).items()} == {"kernel": KERNEL}
    assert read(text).summary == "Pad the tile." and read(text).risks == ["readability"]


def test_every_part_has_a_fence_of_its_own() -> None:
    text = f"{HEADER}\n{FENCE}```cuda part=square\n__device__ float square(float v) {{ return v * v; }}\n```"
    assert parts(text) == {"kernel": KERNEL, "square": "__device__ float square(float v) { return v * v; }"}


def test_code_alone_is_an_answer() -> None:
    assert parts(f"Sure:\n{FENCE}") == {"kernel": KERNEL} and read(FENCE).summary == ""


def test_code_may_still_come_in_the_json_itself() -> None:
    assert parts('{"summary": "s", "parts": [{"part": "kernel", "code": "int x;\\n```\\n"}]}') == {"kernel": "int x;\n```\n"}


def test_a_longer_fence_holds_shorter_ones() -> None:
    assert parts(f"{HEADER}\n````cuda part=kernel\n/*\n```\n*/ int x;\n````") == {"kernel": "/*\n```\n*/ int x;"}


@pytest.mark.parametrize(
    "draft",
    [
        f"<think>{HEADER}\n```cuda part=kernel\ndraft();\n```</think>",
        f"{HEADER}\n```cuda part=kernel\ndraft();\n```</think>",
        "<THINKING>\n```cuda part=kernel\ndraft();\n</THINKING>",
        "<think>What about {x}? <think>Or ```cuda?</think>",
    ],
)
def test_a_draft_is_no_answer(draft: str) -> None:
    assert parts(f"{draft}\n{HEADER}\n{FENCE}") == {"kernel": KERNEL}


@pytest.mark.parametrize("tag", ["</think>", "<think>", "◁think▷"])
def test_a_tag_in_code_is_code(tag: str) -> None:
    code = f"// ends the draft: {tag}\n{KERNEL}"
    assert parts(f"{HEADER}\n```cuda part=kernel\n{code}\n```\nDone.") == {"kernel": code}
    assert parts(f"◁think▷Hm, ```x◁/think▷{HEADER}\n{FENCE}") == {"kernel": KERNEL}


def test_the_last_complete_answer_counts() -> None:
    first = f"{HEADER.replace('Pad', 'Drop')}\n{FENCE.replace('1;', '2;')}"
    assert parts(f"{first}Wait, that is wrong. Again:\n{HEADER}\n{FENCE}") == {"kernel": KERNEL}
    assert parts(f"{HEADER}\n{FENCE}\nBetter:\n{first[:-5]}") == {"kernel": KERNEL}, "the second one is cut"
    assert parts(f"{HEADER}\n{FENCE.replace('1;', '2;')}\nCorrected:\n{FENCE}") == {"kernel": KERNEL}, "of two for one part the later"


def test_the_last_plan_counts() -> None:
    one = '{"steps": [{"technique": "a", "line": 1, "rationale": ""}]}'
    answer = PLAN.read(f'{one}\nNo, rather:\n{{"steps": [{{"technique": "b", "line": 1, "rationale": ""}}]}}')
    assert isinstance(answer, PlanReply) and [step.technique for step in answer.steps] == ["b"]


def test_a_header_alone_gives_the_step_up() -> None:
    reply = read('{"summary": "Nothing gains enough here."}')
    assert reply.summary == "Nothing gains enough here." and not reply.parts


@pytest.mark.parametrize(
    "header",
    [
        '{"launches": [{"line": 24, "block": "256"}]}',
        '{"launches": [{"line": 24, "block": "256",},],}',
        '{// the launch too\n"launches": [{"line": 24, /* was "128" */ "block": "256"}] // done\n}',
        '{"summary": "See https://a.b /* c */, ]"}\n{"launches": [{"line": 24, "block": "256"}]}',
    ],
)
def test_a_header_may_hold_any_of_its_keys_comments_and_trailing_commas(header: str) -> None:
    assert [(launch.line, launch.block) for launch in read(f"{header}\n{FENCE}").launches] == [(24, "256")]
    assert [launch.line for launch in read(f"{FENCE}\n{header}").launches] == [24]


@pytest.mark.parametrize(
    "header",
    [
        "{'summary': 'Don't pad.', 'tune': [{'name': 'TILE', 'values': [16, 32]}], 'risks': None}",
        "{'summary': 'Don\\'t pad.', tune: {'TILE': [16, 32,]}, # both fit\n}",
        "{“summary”: “Don't pad.”, “tune”: {“TILE”: [16, 32]}}",
        '# Why\n{ # "here"\n"Summary": "Don\'t pad.", "TUNE": {"TILE": {"Range": [16, 32]}}, "Risk": None}',
        '{"summary": "Don\'t pad.", "tunables": [{"Name": "TILE", "Values": "16..32"}]}',
        "summary: Don't pad.\ntune:\n  TILE: [16, 32]",
        '```yaml\nsummary: "Don\'t pad."\ntune:\n  - name: TILE\n    values: [16, 32]\nrisks: []\n```',
        "---\nsummary: Don't pad.\ntune: TILE in {16, 32}\n---",
        '```toml\nsummary = "Don\'t pad."\ntune = { TILE = [16, 32] }\n```',
        "**Summary:** Don't pad.\n**Tune:**\n- `TILE`: 16 or 32\n\nThe launch: it stays.\nLaunches: as they are.",
    ],
)
@pytest.mark.parametrize("form", ["{header}\n{fence}", "{fence}\n\n{header}"])
def test_a_header_in_another_spelling_that_means_one_thing_is_taken(header: str, form: str) -> None:
    reply = read(form.format(header=header, fence=FENCE))
    assert (reply.summary, [(one.name, one.values) for one in reply.tune], reply.tuning_fault) == ("Don't pad.", [("TILE", [16, 32])], "")
    assert [part.part for part in reply.parts] == ["kernel"]


def test_a_header_in_lines_says_what_its_fields_can_mean_alone() -> None:
    other = FENCE.replace("part=kernel", "part=helper")
    between = read(f"{FENCE}\nsummary: Pad.\nconstraints: TILE * ROWS <= 64\nrisks: [order, precision]\n{other}")
    assert (between.summary, between.constraints, between.risks) == ("Pad.", ["TILE * ROWS <= 64"], ["order", "precision"])
    assert {part.part for part in between.parts} == {"kernel", "helper"}, "it is the header of all code"
    assert read(f"summary: one\n{FENCE}\nsummary: another\n{FENCE}").summary == "", "of two nothing says which is meant"
    assert read(f"{HEADER}\nsummary: not this one\n{FENCE}").summary != "not this one"
    assert "give launches and parts as JSON" in problem(f"launches:\n  - the one of line 24\n{FENCE}")
    launches = (
        "launches:\n  - line: 24\n    grid: (n + 31) / 32\n  - line: 30\n",
        '[[launches]]\nline = 24\ngrid = "(n + 31) / 32"\n[[launches]]\nline = 30\n',
    )
    for written in launches:
        first, second = read(f"summary: Widen.\n{written}\n{FENCE}").launches
        assert (first.line, first.grid, second.line, second.grid) == (24, "(n + 31) / 32", 30, None)


@pytest.mark.parametrize(
    "wrapped",
    [
        '{"name": "submit_edit", "arguments": ANSWER}',
        '<tool_call>{"function": {"name": "edit", "arguments": QUOTED}}</tool_call>',
        '{"tool_calls": [{"type": "function", "function": {"arguments": QUOTED}}]}',
        '{"answer": ANSWER}',
    ],
)
def test_what_only_wraps_an_answer_is_taken_away(wrapped: str) -> None:
    code = json.dumps({"summary": "Pad.", "parts": [{"part": "kernel", "code": KERNEL}]})
    assert parts(wrapped.replace("ANSWER", code).replace("QUOTED", json.dumps(code))) == {"kernel": KERNEL}
    plan = '{"steps": []}'
    assert PLAN.read(wrapped.replace("ANSWER", plan).replace("QUOTED", json.dumps(plan))) == PlanReply(steps=[])


def test_code_in_json_may_be_lines_or_stand_in_quotes_of_other_languages() -> None:
    for code in (json.dumps(KERNEL.splitlines()), f'"""{KERNEL}"""', f"'''{KERNEL}'''", f"`{KERNEL}`"):
        assert parts(f'{{"summary": "Pad.", "parts": [{{"part": "kernel", "code": {code}}}], "launches": []}}') == {"kernel": KERNEL}
    assert "cannot be read" in problem('{"parts": [{"part": "kernel", "code": """a = \'\\n\';"""}]}'), "Python would read the backslash"


def test_punctuation_of_full_width_is_that_of_json_outside_strings() -> None:
    wide = read(
        f"｛“summary”： “一，二：三。”，“launches”：［｛“line”：24，“block”：“256”｝］｝\n{FENCE}".replace(
            "｛“summary", "{“summary"
        ).replace("］｝", "］}")
    )
    assert wide.summary == "一，二：三。" and wide.launches[0].block == "256"
    assert read(f"step: soon, I hope\n{FENCE}").step is None


@pytest.mark.parametrize(
    "info",
    [
        "cuda part='kernel'",
        "cuda part=\"kernel\" file='k.cu'",
        "cuda file='k.cu' part='kernel'",
        "{.cuda part=kernel}",
        "cuda {part='kernel'}",
    ],
)
def test_a_fence_names_its_part_in_any_quotes_beside_what_else_it_says(info: str) -> None:
    other = "```cuda part='helper'\n__device__ int one() { return 1; }\n```"
    assert parts(f"{HEADER}\n{FENCE.replace('cuda part=kernel', info)}\n{other}").keys() == {"kernel", "helper"}
    tags = f"<code file='k.cu' part='kernel'>\n{KERNEL}\n</code>\n<code part=helper>\nint one;\n</code>"
    assert parts(f"{HEADER}\n{tags}") == {"kernel": KERNEL, "helper": "int one;"}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"summary": "Pad "it"."}}\n{FENCE}',
        f"{{'summary': 'Pad the warps', not the rows.', 'risks': []}}\n{FENCE}",
        f"{FENCE}\n{{launches: [line 24]}}",
    ],
)
def test_a_header_that_cannot_be_read_is_asked_for_again(text: str) -> None:
    assert "cannot be read: " in problem(text) and "line 1, column" in problem(text)
    assert "cannot be read: " in problem(f"{HEADER}\n{FENCE}\nBetter:\n{text}"), "the older answer is not what is meant"


def test_braces_in_prose_are_no_header() -> None:
    assert parts(f"{HEADER}\nThe set {{x: x > 0}} stays.\n{FENCE}") == {"kernel": KERNEL}


def test_a_plan_may_hold_comments_and_trailing_commas() -> None:
    answer = PLAN.read('{"steps": [{"technique": "a", "line": 1, "rationale": "",},], // one\n}')
    assert isinstance(answer, PlanReply) and [step.technique for step in answer.steps] == ["a"]
    answer = PLAN.read('{"steps": [{"technique": "a" "line": 1}, {"technique": "b", "line": 2}]}')
    assert isinstance(answer, BadReply) and "cannot be read: Expecting ',' delimiter in its line 1, column 30" in answer.problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEADER}\n```cuda part=kernel\n__global__ void k(", "not closed"),
        (f"<think>{HEADER}\n{FENCE}", "nothing follows the draft"),
        ('{"summary": "s", "launches": [{"line": 0}]}', "launches.0.line"),
        ("I would pad the tile.", "neither a JSON header nor code"),
        ('{"note": 1}', "neither a JSON header nor code"),
        ("```sh\nrm -rf /\n```", "neither a JSON header nor code"),
    ],
)
def test_what_is_no_code_is_said_in_words(text: str, said: str) -> None:
    assert said in problem(text)


@pytest.mark.parametrize("piece", ["<think>", "</think>", "```\n", "```cuda part=k\n", "{", '{"summary": "', "~~~\n```\n"])
def test_a_megabyte_of_anything_is_read_at_once(piece: str) -> None:
    text = piece * (900_000 // len(piece))
    assert isinstance(CODE.read(text), BadReply | CodeReply) and isinstance(PLAN.read(text), BadReply)


def test_a_design_keeps_every_number_and_what_looks_like_markup() -> None:
    design = "Use tile<128, 64>, 3 stages of 48 KB; 256 threads. See [](int i) and a[i](j). It is 4x faster.\nLine two."
    answer = PLAN.read(f'{{"steps": [{{"technique": "a", "line": 1, "rationale": "r", "design": {design!r}}}]}}'.replace("'", '"'))
    assert isinstance(answer, PlanReply) and answer.steps[0].design == design


OPERATOR = "/* kernelopt\n[operator]\n*/\nint a;\n"


@pytest.mark.parametrize(
    "text",
    [
        f"```cuda\n{OPERATOR}```",
        f"```cuda op.cu\n{OPERATOR}```",
        f"~~~cuh\n{OPERATOR}~~~",
        f"```cuda\n{OPERATOR}```\n".replace("\n", "\r\n"),
        f"```markdown\nThe file:\n```cu\n{OPERATOR}```\n```",
    ],
)
def test_a_whole_file_comes_in_a_fence_of_any_kind(text: str) -> None:
    assert WHOLE_FILE.read(text) == OPERATOR
