"""Code of an answer that stands in no fence of Markdown of its own, put into one: in tags, as a patch, indented, behind a header.

Taken is what has one meaning: whole definitions from the first to the last, or a patch from its first line to its last. Example::

    with_fences('{"summary": "Pad."}\\n\\n    __global__ void k()\\n    {\\n    }\\n')
    # '{"summary": "Pad."}\\n\\n```cuda\\n__global__ void k()\\n{\\n}\\n```\\n'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from assistant.cuda.code_text import uncommented
from assistant.cuda.items import items
from assistant.plan.llm.reading.code_spellings import FUNCTION, strings_in
from assistant.plan.llm.reading.fences import MOST_FENCES, fences_of, marks_of
from assistant.plan.llm.reading.json_objects import JsonObject, json_objects

__all__ = ["holds_a_function", "with_fences"]

_ATTRIBUTE = r"\s+\w+\s*=\s*(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s>\"']+)"
_TAGGED = re.compile(rf"<(?P<tag>code|file|part)(?P<attributes>(?:{_ATTRIBUTE})*)\s*>\n?(?P<code>.*?)\s*</(?P=tag)>", re.DOTALL)
_NAMED = re.compile(r"\b(?:part|name|id)\s*=\s*[\"']?(?P<name>[A-Za-z_][\w-]*)(?=[\"'\s]|\Z)")
_CDATA = re.compile(r"\A\s*<!\[CDATA\[\n?(?P<code>.*?)\s*\]\]>\s*\Z", re.DOTALL)
_PATCH = re.compile(
    r"^\*\*\* Begin Patch[^\n]*\n.*?(?:^\*\*\* End Patch[^\n]*$|\Z)"
    r"|^<{5,}[ \t]*SEARCH[^\n]*\n.*?^={5,}[ \t]*\n.*?^>{5,}[^\n]*$"
    r"|^--- [^\n]+\n\+\+\+ [^\n]+\n@@[^\n]*\n(?:(?:[ +\-@\\]|diff |index )[^\n]*(?:\n|\Z)|\n(?=[ +\-@\\]))*",
    re.MULTILINE | re.DOTALL,
)
"""As agents of an editor, editors with models, and ``diff -u`` write it."""
_YAML_PART = re.compile(
    r"^(?P<margin>[ \t]*)-[ \t]+part:[ \t]*[\"']?(?P<name>[\w-]+)[\"']?[ \t]*\n(?P=margin)[ \t]+code:[ \t]*\|[-+]?[ \t]*\n"
    r"(?P<code>(?:(?P=margin)[ \t]{3,}[^\n]*(?:\n|\Z)|[ \t]*\n)+)",
    re.MULTILINE,
)
_YAML_PARTS = re.compile(r"^[ \t]*parts:[ \t]*\n(?=\s*(?:\Z|\w+:|```))", re.MULTILINE)
_GLUED_BEGIN = re.compile(
    r"(?P<before>[^`\"]*[^`\"\s])[ \t]*(?P<mark>```(?:cuda|cu|cuh|c\+\+|cpp|c|json|diff)(?:[ \t]+\w+[ \t]*[=:][ \t]*\S+)*)[ \t]*\Z"
)
_GLUED_END = re.compile(r"(?P<before>[^`]*[};)\]])[ \t]*```[ \t]*\Z")
_NOTED = re.compile(r"[^\n]*\n\s*/\*\s*(?=\{)")
_OF_A_HEADER = re.compile(r"\"(?:summary|launches)\"\s*:")
_OPENING = re.compile(r"^(?:<{5}|\*\*\* Begin|--- )|<(?:code|file|part)\b", re.MULTILINE)
"""Where a tag or a patch may begin."""
_BEGIN = re.compile(
    r"[ \t]*(?:template\s*<|__(?:global|device|host|constant|launch_bounds|forceinline)__|(?:static|extern|inline|constexpr|const|struct"
    r"|union|enum|using|typedef|namespace|void|int|float|double|unsigned|bool|half|float[234])\b|#\s*(?:include|define|pragma|if|undef|endif|el))"
)
"""What a definition begins with."""


def with_fences(text: str) -> str:
    """The answer with its code in fences."""
    text = _with_noted_headers(_with_fences_on_lines(text))
    if any(True for _ in fences_of(text)):
        return text
    marks = {text.count("\n", 0, position) for position, _ in marks_of(text)}
    bare = "\n".join("" if number in marks else line for number, line in enumerate(text.split("\n")))
    if len(_OPENING.findall(bare)) > MOST_FENCES:
        return text
    for made in (_with_tagged, _with_blocks, _with_patches, _with_bare_code):
        found = made(bare)
        if found != bare:
            return found
    return text


def holds_a_function(text: str) -> bool:
    """Whether a function for the device is defined outside the text's JSON objects."""
    return FUNCTION.search(_without_objects(text)) is not None


def _with_noted_headers(text: str) -> str:
    """With each header that is a comment at the beginning of a fence in front of that."""
    for position, _ in reversed(marks_of(text)):
        noted = _NOTED.match(text, position)
        end = -1 if noted is None else text.find("*/", noted.end())
        if noted is not None and end >= 0 and _OF_A_HEADER.search(text, noted.end(), end):
            begin = text.index("\n", position)
            text = f"{text[:position]}{text[noted.end() : end].strip()}\n{text[position:begin]}{text[end + 2 :]}"
    return text


def _with_tagged(text: str) -> str:
    return _TAGGED.sub(_fenced_tag, text)


def _with_patches(text: str) -> str:
    """With a fence around each patch, and behind the text those that are strings of JSON, as tools that edit files are called."""
    found = _PATCH.sub(lambda patch: f"\n```diff\n{patch[0].rstrip()}\n```\n", text)
    called = [
        code for each in json_objects(text, ()) if isinstance(each, JsonObject) for code in strings_in(each.value) if _PATCH.match(code)
    ]
    return found if found != text or not called else "\n".join([text, *(f"```diff\n{code.rstrip()}\n```" for code in called), ""])


def _fenced_tag(tag: re.Match[str]) -> str:
    if not tag["attributes"] and "\n" not in tag["code"] and "{" not in tag["code"]:
        return tag[0]  # a word of a sentence
    named, data = _NAMED.search(tag["attributes"]), _CDATA.match(tag["code"])
    code = tag["code"] if data is None else data["code"]
    return f"\n```cuda {'' if named is None else named['name']}\n{code}\n```\n"


def _with_blocks(text: str) -> str:
    """With parts that are blocks of YAML in fences behind the rest."""
    parts = [f"```cuda part={part['name']}\n{dedent(part['code']).rstrip()}\n```" for part in _YAML_PART.finditer(text)]
    return "\n".join([_YAML_PARTS.sub("", _YAML_PART.sub("", text)), *parts, ""]) if parts else text


def _with_fences_on_lines(text: str) -> str:
    """With each mark of a fence on a line of its own."""
    return "\n".join(_on_lines(text.split("\n"))) if "```" in text else text


def _on_lines(lines: Sequence[str]) -> Iterator[str]:
    is_inside = False
    for line in lines:
        glued = (_GLUED_END if is_inside else _GLUED_BEGIN).match(line.rstrip("\r"))
        is_mark = line.lstrip().startswith("```")
        if glued is not None and not is_mark:
            yield glued["before"]
            yield "```" if is_inside else glued["mark"]
        else:
            yield line
        is_begin = is_mark and line.strip().count("`") == len(line.strip()) - len(line.strip().lstrip("`"))
        is_inside = (not is_inside if is_begin else is_inside) if glued is None or is_mark else not is_inside


def _with_bare_code(text: str) -> str:
    """With a fence around the definitions that stand outside every object, where nothing else stands between them."""
    lines, seen = text.split("\n"), _without_objects(text).split("\n")
    begin = next((number for number, line in enumerate(seen) if _BEGIN.match(line)), None)
    ends = [number for number, line in enumerate(seen) if line.rstrip().endswith(("}", ";"))]
    if begin is None or not ends or ends[-1] < begin:
        return text
    code = dedent("\n".join(seen[begin : ends[-1] + 1]))
    found = items(uncommented(code))
    if not found or not FUNCTION.search(code) or not all(_BEGIN.match(item.text) for item in found):
        return text
    return "\n".join([*lines[:begin], "```cuda", code, "```", *lines[ends[-1] + 1 :]])


def _without_objects(text: str) -> str:
    """With blanks in the place of each JSON object that can be read."""
    for each in json_objects(text, ()):
        if isinstance(each, JsonObject):
            text = text[: each.start] + re.sub(r"[^\n]", " ", text[each.start : each.end]) + text[each.end :]
    return text
