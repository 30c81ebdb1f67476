"""C++ declarations of PyTorch's functions, from schemas as PyTorch 2.13 prints them."""

from __future__ import annotations

from assistant.operators.aten_text import declarations

SUM = (
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    "aten::sum.out(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
    "aten::sum.int(int[] self) -> int",
)
VAR = (
    "aten::var(Tensor self, bool unbiased=True) -> Tensor",
    "aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
)


def functions(*schemas: str) -> list[str]:
    return declarations(schemas).functions.splitlines()


def test_each_form_on_tensors_is_a_function_and_a_method() -> None:
    assert [line.partition(" {")[0] for line in functions(*SUM)] == [
        "inline Tensor sum(const Tensor& self, const OptionalIntArrayRef& dim, bool keepdim = false, "
        "const std::optional<ScalarType>& dtype = std::nullopt)",
        "inline Tensor sum(const Tensor& self, const std::optional<ScalarType>& dtype = std::nullopt)",
        "inline Tensor& sum_out(Tensor& out, const Tensor& self, const std::optional<ScalarType>& dtype = std::nullopt)",
    ]
    methods = declarations(SUM).methods
    assert (
        'Tensor sum(const std::optional<ScalarType>& dtype = std::nullopt) const { return kernelopt::aten<Tensor>("sum", *this, dtype); }'
        in methods
    )
    assert "\n" not in methods


def test_no_call_means_two_functions() -> None:
    """PyTorch's own C++ leaves out the same defaults."""
    plain, dim, correction = functions(*VAR)
    assert "bool unbiased = true" in plain and "const OptionalIntArrayRef& dim, bool unbiased = true" in dim
    assert "const OptionalIntArrayRef& dim, const std::optional<Scalar>& correction, bool keepdim = false" in correction


def test_a_function_in_place_returns_its_tensor() -> None:
    declared = declarations(["aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"])
    assert 'kernelopt::aten<void>("add_.Tensor", *this, other, alpha); return const_cast<Tensor&>(*this);' in declared.methods


def test_several_results_are_a_tuple_and_lists_a_vector() -> None:
    topk, where = functions(
        "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
        "aten::where(Tensor condition) -> Tensor[]",
    )
    assert topk.startswith("inline std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim = -1,")
    assert where.startswith("inline std::vector<Tensor> where(")


def test_what_describes_the_elements_of_a_new_tensor_is_one_argument() -> None:
    (line,) = functions(
        "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"
    )
    assert (
        "arange(const Scalar& end, TensorOptions options = {})" in line
        and 'aten<Tensor>("arange", end, options.given(), std::nullopt,' in line
    )


def test_what_is_written_into_a_given_tensor_comes_first() -> None:
    (line,) = functions("aten::mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)")
    assert line == (
        "inline Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2) "
        '{ kernelopt::aten<void>("mm.out", self, mat2, out); return out; }'
    )


def test_what_the_headers_have_themselves_is_not_declared_again() -> None:
    declared = declarations(["aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", "aten::ones(SymInt[] size) -> Tensor"])
    assert declared.methods == "" and "Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1)" in declared.functions
    assert "ones" not in declared.functions
