"""What a parse finds in CUDA texts, whole and half typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.cuda.parse import parse
from assistant.model.source import Kernel, ParsedSource, Source

DATA = Path(__file__).parents[2] / "data" / "source"
FILES = sorted(DATA.glob("*.cu"))
TEXTS: st.SearchStrategy[str] = st.sampled_from([path.read_bytes().decode() for path in FILES])

KERNELS = {
    "attributes": "bounds_first bounds_before_void bounds_after_void clustered few_registers macro_bounds hidden_by_macro "
    "on_three_lines with_attribute dynamic_shared",
    "crlf_umlauts": "skaliere",
    "half_typed": "work::first work::second work::third",
    "histogram": "histogram",
    "inline_ptx": "tensor_cores copy_async",
    "jagged_and_graph": "sparse_multiply axpy",
    "launch_api": "scale step",
    "launches_in_lambdas": "relu_kernel",
    "matmul_namespaces": "linalg::v2::detail::multiply",
    "parameters": "all_kinds none apply",
    "preprocessor": "accumulate accumulate declared_only",
    "reduction": "reduce",
    "saxpy": "saxpy",
    "stencil_2d": "blur",
    "structures": "move move_columns",
    "transpose": "transpose",
}


def parsed_file(name: str) -> ParsedSource:
    path = DATA / f"{name}.cu"
    return parse(Source(path, path.read_bytes().decode()))


def parsed_text(text: str) -> ParsedSource:
    return parse(Source(Path("/k.cu"), text))


def kernel(parsed: ParsedSource, name: str) -> Kernel:
    return next(kernel for kernel in parsed.kernels if kernel.name == name)


def text_of(parsed: ParsedSource, start: int, end: int) -> str:
    return parsed.source.text[start:end]


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_every_kernel_of_a_file_is_found(name: str) -> None:
    assert [k.qualified_name for k in parsed_file(name).kernels] == KERNELS[name].split()


@pytest.mark.parametrize("name", [path.stem for path in FILES if path.stem != "half_typed"])
def test_spans_of_a_kernel_cover_its_parts(name: str) -> None:
    parsed = parsed_file(name)
    for k in parsed.kernels:
        assert text_of(parsed, k.name_span.start, k.name_span.end) == k.name
        assert parsed.source.line_of(k.name_span.start) == k.line
        assert re.fullmatch(r"\(.*\)", text_of(parsed, k.parameters_span.start, k.parameters_span.end), re.DOTALL)
        assert re.fullmatch(r"\{.*\}", text_of(parsed, k.body.start, k.body.end), re.DOTALL)
        assert k.span.start <= k.name_span.start < k.parameters_span.start < k.body.start < k.body.end == k.span.end
        assert all(k.parameters_span.contains(parameter.span) for parameter in k.parameters)


@pytest.mark.parametrize("name", [path.stem for path in FILES if path.stem != "half_typed"])
def test_a_whole_file_has_no_problems(name: str) -> None:
    assert parsed_file(name).problems == ()


@pytest.mark.parametrize(
    ("name", "start", "bounds", "is_extern_c"),
    [
        ("bounds_first", "__launch_bounds__(128) __global__", ("128",), False),
        ("bounds_before_void", "__global__ __launch", ("128", "2"), False),
        ("bounds_after_void", "__global__ void __launch", ("64 * 2",), False),
        ("clustered", "__global__ void __cluster", ("256",), False),
        ("few_registers", "__global__ void __maxnreg__", (), False),
        ("hidden_by_macro", "KERNEL hidden", (), True),
        ("on_three_lines", 'extern "C" __global__\nvoid', (), True),
        ("with_attribute", "__attribute__", (), False),
    ],
)
def test_attributes_stand_before_or_after_the_type(name: str, start: str, bounds: tuple[str, ...], is_extern_c: bool) -> None:
    parsed = parsed_file("attributes")
    found = kernel(parsed, name)
    assert text_of(parsed, found.span.start, found.span.end).startswith(start)
    assert (found.launch_bounds, found.is_extern_c) == (bounds, is_extern_c)


def test_parameters_have_roles() -> None:
    found = kernel(parsed_file("parameters"), "all_kinds").parameters
    described = [(p.name, p.type, p.element_type, p.is_const, p.is_restrict) for p in found]
    assert described == [
        ("a", "const T *const", "T", True, True),
        ("b", "float *", "float", False, False),
        ("c", "float (*)[32]", "float[32]", False, False),
        ("d", "float (*)[8]", "float[8]", False, False),
        ("e", "float (&)[4]", None, False, False),
        ("f", "struct Params", None, False, False),
        ("g", "const Params &", None, True, False),
        ("h", "unsigned long long", None, False, False),
        ("i", "void (*)(int)", None, False, False),
        ("j", "const float *const *", "const float *", True, False),
        ("k", "volatile int *", "int", False, False),
        ("l", "cuda::std::array<float *, 3>", None, False, False),
        ("m", "float4 *", "float4", False, True),
        ("rest", "Rest...", None, False, False),
    ]
    assert [p.is_pointer for p in found] == [p.element_type is not None for p in found]


def test_template_parameters_have_kinds_and_defaults() -> None:
    found = kernel(parsed_file("parameters"), "all_kinds").template_parameters
    assert [(p.name, p.kind, p.default) for p in found] == [
        ("T", "typename", None),
        ("N", "int", "4"),
        ("Rest", "typename...", None),
    ]


def test_void_means_no_parameters() -> None:
    assert kernel(parsed_file("parameters"), "none").parameters == ()


def test_device_functions_are_followed_through_calls() -> None:
    assert kernel(parsed_file("reduction"), "reduce").device_functions == ("block_sum", "warp_sum")
    assert kernel(parsed_file("matmul_namespaces"), "multiply").device_functions == ("ceil_div", "count")


def test_device_functions_are_listed_with_their_calls() -> None:
    found = parsed_file("reduction").device_functions
    assert [(f.name, f.line) for f in found] == [("warp_sum", 5), ("block_sum", 14)]
    assert found[0].calls == ("__shfl_down_sync",)
    assert [f.name for f in parsed_file("attributes").device_functions] == ["half_of", "twice"]


def test_a_device_variable_or_lambda_is_no_function() -> None:
    assert [f.name for f in parsed_file("histogram").device_functions] == ["bin_of"]
    assert parsed_file("parameters").device_functions == ()


def test_a_launch_site_says_how_and_from_where() -> None:
    site = parsed_file("saxpy").launch_sites[0]
    assert (site.kernel_name, site.grid.text, site.block.text, site.line) == ("saxpy", "(n + 255) / 256", "256", 29)
    assert [argument.text for argument in site.arguments] == ["n", "2.0f", "x", "y"]
    assert (site.shared, site.stream, site.function, site.is_in_loop) == (None, None, "main", True)


def test_a_launch_site_keeps_template_arguments_shared_size_and_stream() -> None:
    parsed = parsed_file("transpose")
    first, second = parsed.launch_sites
    assert [first.template_arguments, second.template_arguments] == [("0",), ("1",)]
    assert first.shared is not None and first.shared.text == "0"
    assert first.stream is not None and first.stream.text == "stream"
    assert text_of(parsed, first.span.start, first.span.end) == "transpose<0><<<grid, block, 0, stream>>>(out, in, width, height)"
    assert parsed.launch_sites_of(parsed.kernels[0]) == (first, second)


def test_launches_through_the_runtime_api_are_recognised() -> None:
    sites = parsed_file("launch_api").launch_sites
    assert [(s.kernel_name, s.template_arguments, s.block.text, s.is_in_loop) for s in sites] == [
        ("scale", ("float",), "block", False),
        ("scale", ("float",), "dim3(32)", False),
        ("step", (), "block", True),
        ("step", (), "block", True),
    ]
    assert [[a.text for a in s.arguments] for s in sites] == [["p", "factor", "n"], ["p", "factor", "n"], ["p", "n"], ["p", "n"]]
    assert [s.stream.text if s.stream else None for s in sites] == ["stream", "stream", None, "stream"]


def test_a_launch_inside_a_dispatch_macro_belongs_to_the_function_around_it() -> None:
    (site,) = parsed_file("launches_in_lambdas").launch_sites
    assert (site.kernel_name, site.template_arguments, site.function) == ("relu_kernel", ("scalar_t",), "relu")


def test_a_qualified_launch_and_member_functions_are_named_in_full() -> None:
    assert parsed_file("matmul_namespaces").launch_sites[0].kernel_name == "detail::multiply"
    assert {s.function for s in parsed_file("jagged_and_graph").launch_sites} == {"Solver::run"}


@pytest.mark.parametrize(("name", "has_main"), [("saxpy", True), ("launch_api", True), ("transpose", False), ("half_typed", True)])
def test_a_program_has_a_main(name: str, has_main: bool) -> None:
    assert parsed_file(name).has_main is has_main


def test_offsets_count_characters_and_lines_count_newlines() -> None:
    parsed = parsed_file("crlf_umlauts")
    found = parsed.kernels[0]
    assert found.parameters[0].name == "länge"
    assert text_of(parsed, found.body.start, found.body.end).endswith("// → m\r\n}")
    assert parsed.launch_sites[0].line == 8
    block = parsed.launch_sites[0].block.span
    assert text_of(parsed, block.start, block.end) == "32"


def test_half_typed_code_becomes_problems_and_the_rest_is_found() -> None:
    parsed = parsed_file("half_typed")
    assert [(problem.line, problem.message) for problem in parsed.problems] == [
        (7, "missing `;`"),
        (12, "`{` is not closed before the next function"),
        (13, "`{` is not closed before the next function"),
        (14, "cannot read `=`"),
        (19, "this string is not finished"),
        (20, "missing `)`"),
        (28, "this launch is not finished"),
    ]
    assert [s.kernel_name for s in parsed.launch_sites] == ["work::first", "work::second"]
    assert kernel(parsed, "first").device_functions == ("helper",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void a(int *p) { p[0] =\n__global__ void b(int *p) { p[1] = 2; }", ["a", "b"]),
        ("__global__ void a(int *p)\n__global__ void b(int *p) {}", ["b"]),
        ("__global__ void a(int *p,\n__global__ void b(int *p) {}", ["b"]),
        ("__global__ void a(int *p) { if (p) {", ["a"]),
        ("__global__ void a(int *p) { if (p) {\nint main() { a<<<1, 1>>>(0); }\n", ["a"]),
        (
            "namespace n {\n__global__ void a() { for (;;) {\ntemplate <class T>\n__launch_bounds__(32)\n__global__ void b() {}\n}",
            ["n::a", "n::b"],
        ),
        ("__global__ void a(int *p) { p[ }\n__global__ void b() {}", ["a", "b"]),
        ("__global__", []),
        ("__global__ void a(", []),
        ("", []),
    ],
)
def test_an_unfinished_kernel_does_not_hide_the_next(text: str, names: list[str]) -> None:
    assert [k.qualified_name for k in parsed_text(text).kernels] == names


@pytest.mark.parametrize(
    "text",
    [
        "API_EXPORT void run(int n) { n++; }",
        "__global__ void k(int *p) {\n  CHECK_BOUNDS(p)\n  p[0] = 1;\n}",
        "struct S { FORCE_INLINE float f() const { return 1; } };",
    ],
)
def test_an_unknown_macro_in_capitals_is_no_problem(text: str) -> None:
    assert parsed_text(text).problems == ()


def test_a_missing_brace_does_not_hide_main() -> None:
    parsed = parsed_text("__global__ void a(int *p) { if (p) {\nint main() { a<<<1, 32>>>(0); }\n")
    assert parsed.has_main
    assert parsed.launch_sites[0].block.text == "32"


def test_a_launch_in_branches_of_the_preprocessor_does_not_hide_main() -> None:
    launch = "  k<<<1, 32\n#if STREAM\n    , 0, s\n#endif\n  >>>(p);\n"
    text = f"__global__ void k(int *p) {{ p[0] = 1; }}\nvoid stage(int *p)\n{{\n{launch}}}\nint main()\n{{\n  stage(nullptr);\n}}\n"
    assert parsed_text(text).has_main
    assert not parsed_text(text.replace("int main()", "int domain()")).has_main
    assert not parsed_text(text.replace("int main()", "// int main() {\nint other()")).has_main


@given(TEXTS, st.data())
def test_any_cut_or_deletion_is_parsed_without_an_exception(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    damaged = text[:start] + text[end:]
    parsed = parsed_text(damaged)
    for found in parsed.kernels:
        assert 0 <= found.span.start <= found.body.start <= found.body.end <= len(damaged)
        assert damaged[found.name_span.start : found.name_span.end] == found.name
    for problem in parsed.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(damaged)


@given(st.text(alphabet="__global__ void k(<>){}[];,\"'/*\\\nR#µ\udc80", max_size=60))
def test_any_characters_are_parsed_without_an_exception(text: str) -> None:
    parsed_text(text)
    parsed_text("__global__ " + text)


@pytest.mark.parametrize("body", ["{ a[0] = 1 }", "{\n  a[threadIdx.x] = 2\n}", "{ f(a) }", "{ a }", "{ a[0] = 1; a[1] = 2 }", "{ }"])
def test_a_kernel_stays_while_its_last_statement_is_typed(body: str) -> None:
    for head in ("", "template <typename T> "):
        text = f"__global__ void before(int *a) {{}}\n{head}__global__ void k(int *a) {body}\nint main() {{ k<<<1, 1>>>(0); }}\n"
        parsed = parse(Source(Path("/a.cu"), text))
        assert [kernel.name for kernel in parsed.kernels] == ["before", "k"]
        assert parsed.kernels[1].body.end == parsed.source.text.index("}\nint") + 1
        assert parsed.has_main


def test_a_variable_with_braces_is_no_function_whatever_else_is_half_typed() -> None:
    text = "__global__ void k(int *a) { dim3 b(int{}); int c{1}; dim3 d(a) ; x = \n}\nint main() { k<<<1, dim3(2){}>>>(0) }"
    assert [kernel.name for kernel in parse(Source(Path("/a.cu"), text)).kernels] == ["k"]


@pytest.mark.parametrize(
    "text",
    [
        'void f(unsigned u) {\n  printf("%f %" PRIu32 "\\n", 1.0, u);\n}\n',
        "#define MAKE(name) void name##_all() {}\nMAKE(first)\nMAKE(second)\nint main() { return 0; }\n",
        "template struct Plan<int>;\nextern template class a::Plan<float, 2>;\n",
    ],
)
def test_macros_within_strings_as_declarations_and_instantiated_classes_are_no_problems(text: str) -> None:
    assert parse(Source(Path("a.cu"), text)).problems == ()


def test_a_semicolon_that_is_missing_behind_a_function_is_said() -> None:
    problems = parse(Source(Path("a.cu"), "#define MAKE(name) name\nvoid f() {\n  g(1)\n}\n")).problems
    assert [problem.message for problem in problems] == ["missing `;`"]
