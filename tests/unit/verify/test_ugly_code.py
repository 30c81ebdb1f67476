"""Code as an attacker or a stranger writes it: torn words, digraphs, raw strings, comments inside calls. It is judged as plain code is."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label, Outcome
from assistant.verify.changed_lines import ChangedLines
from assistant.verify.cheats import find_cheats
from assistant.verify.host_edits import edits_host_code
from assistant.verify.labels import VersionFacts, detect_labels
from assistant.verify.lines import Text
from assistant.verify.parameters import find_unread_parameters
from assistant.verify.plain_edit import may_read_otherwise

KERNEL = """\
__global__ void k(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2.0f;
}
"""
TEXT = f"""\
#include <cstdio>

{KERNEL}
int main()
{{
    float *out, *in;
    k<<<4, 64>>>(out, in, 256);
    return cudaDeviceSynchronize();
}}
"""
STORE = "    if (i < n) out[i] = in[i] * 2.0f;\n"


def parsed(text: str) -> ParsedSource:
    return parse(Source(Path("/k.cu"), text))


def inside(code: str) -> str:
    return TEXT.replace(STORE, f"{code}\n{STORE}")


def labels(code: str) -> set[Label]:
    return {found.label for found in detect_labels(VersionFacts(parsed(TEXT)), VersionFacts(parsed(inside(code))))}


@pytest.mark.parametrize(
    "code",
    [
        "char a = '\"'; system(0); char b = '\"';",
        'const char *a = R"(")"; system(0); a = ")";',
        'const char *a = R"X()\\\nX" )X"; system(0); a = " ";',
        "// harmless \\ \n/* still harmless\nsystem(0); // */",
        "/\\\n/ harmless\nsystem(0);",
        "sys\\\ntem(0);",
        "sys\\  \ntem(0);",
        "system/**/(/**/0/**/);",
        "auto run = &system; run(0);",
        "<% std::system(0); %>",
        "#define RUN sys%:%:tem(0)\nRUN;\n#undef RUN",
        "#define RUN sys\\\ntem(0)\nRUN;\n#undef RUN",
        "#define RUN /*\n*/ system(0)\nRUN;\n#undef RUN",
        '#define RUN R"(\n)"\n#undef RUN',
        "int a = 1; \\ \n",
    ],
)
def test_host_code_is_seen_however_it_is_written(code: str) -> None:
    assert edits_host_code(parsed(TEXT), parsed(inside(code)))


@pytest.mark.parametrize(
    "macro",
    [
        "#define used_by_cstdlib stop() /*\n*/ #undef used_by_cstdlib\n",
        'const char *text = R"(\n#undef used_by_cstdlib\n)";\n',
    ],
)
def test_a_macro_does_not_end_at_what_only_looks_like_its_end(macro: str) -> None:
    defined = macro if macro.startswith("#") else "#define used_by_cstdlib 1\n" + macro
    header = "#include <cstdlib>\n"
    before = TEXT.replace("int main", f"{header}int main")
    assert edits_host_code(parsed(before), parsed(before.replace(STORE, f"{defined}{STORE}")))


@pytest.mark.parametrize(
    "code",
    [
        "char quote = '\"';",
        "int big = 1'000'000;",
        "int half_way = n / 2; // system('\n",
        '/* system(0); " */ int one = 1;',
        "<% int a<:2:> = {1, 2}; (void)a; %>",
        "int sum = n \\\n + 1; (void)sum;",
        "#define TWICE(a) ((a) * \\\n  2)\n    int b = TWICE(n);\n#undef TWICE",
    ],
)
def test_odd_but_harmless_code_is_none(code: str) -> None:
    assert not edits_host_code(parsed(TEXT), parsed(inside(code)))


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ("__ex\\\npf(1.0f);", Label.FAST_MATH),
        ("__expf/* a */ /* b\n */ (1.0f);", Label.FAST_MATH),
        ("// \\ \n/*\n__expf(1.0f); // */", Label.FAST_MATH),
        ("__half h = __float2half(0.5f);\\\n", Label.PRECISION),
        ("__h\\\nalf h;", Label.PRECISION),
        ('a\\\nsm("");', Label.ARCH_LOCK_IN),
        ("__builtin_assu\\\nme(n > 0);", Label.ASSUMPTION),
        ("char a = '\"'; atomic\\\nAdd(out, 1.0f); a = '\"';", Label.NON_DETERMINISM),
        ('const char *a = R"(")"; clock\\\n64(); a = ")";', Label.NON_DETERMINISM),
    ],
)
def test_a_label_is_given_however_the_word_is_written(code: str, label: Label) -> None:
    assert label in labels(code)


@pytest.mark.parametrize(
    "code",
    [
        'const char *a = R"(__expf(1.0f) ")";',
        "// \\\n__expf(1.0f);",
        "/* // */ int a = '/*'[0]; /* __expf(1.0f) */",
    ],
)
def test_a_comment_or_string_earns_no_label_for_fast_math(code: str) -> None:
    assert Label.FAST_MATH not in labels(code)


@pytest.mark.parametrize("size", ["4096", "4096u", "4'096", "0x1000", "010000", "0b1'0000'0000'0000", "( 4096 )", "40\\\n96"])
@pytest.mark.parametrize("order", ["n == {}", "{} == n"])
def test_an_early_return_on_one_size_fails_however_the_number_is_written(size: str, order: str) -> None:
    (finding,) = find_cheats(parsed(TEXT), parsed(inside(f"if ({order.format(size)}) return;")))
    assert finding.code == "magic_size" and finding.outcome is Outcome.FAIL


@pytest.mark.parametrize("size", ["4096", "4'096", "0x1000u", "010000", "0b1000000000000", "64 * 64", "1u << 12", "40\\\n96"])
def test_a_recorded_size_in_place_of_its_parameter_fails_however_it_is_written(size: str) -> None:
    after = parsed(TEXT.replace("i < n", f"i < {size}"))
    (finding,) = find_unread_parameters(parsed(TEXT), after, {"k": {"n": frozenset({4096})}})
    assert finding.outcome is Outcome.FAIL


def test_a_macro_that_is_defined_again_in_an_odd_way_may_read_otherwise() -> None:
    text = TEXT.replace("#include", "#define WIDTH 4\n/**/ #/**/define WIDTH 8\n#include")
    changed = ChangedLines(Text("/a.cu", text), Text("/b.cu", text.replace("2.0f", "WIDTH")))
    assert may_read_otherwise(changed, headers=())
