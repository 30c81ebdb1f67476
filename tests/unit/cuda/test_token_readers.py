"""Readers of a piece of code by its tokens: stores, conditions, variables that outlive a launch, atomics, casts, names of a line."""

from __future__ import annotations

import pytest

from assistant.cuda.asked_conditions import asked_conditions, compared_number, returns_at_once
from assistant.cuda.atomics import AtomicCall, atomic_calls, may_be_floating
from assistant.cuda.declared_names import declared_names
from assistant.cuda.effects import calls_something, element_stores, has_effect
from assistant.cuda.kept_variables import assignment_count, device_state, is_changed_in_place, is_set_back, static_state
from assistant.cuda.literals import is_literal
from assistant.cuda.pointer_casts import copies_without_const
from assistant.cuda.token_reader import TokenReader, names_reached
from assistant.cuda.vector_casts import aligned_structs, vector_casts


def test_brackets_are_passed_by_their_kind_and_signs_stand_together() -> None:
    read = TokenReader("a[(b[0])] <<= c >= = d")
    assert read.text(read.past(1)) == "<"
    assert read.past_assignment(9) == 12 and read.past_assignment(13) is None
    assert TokenReader("(").past(0) == 1 and TokenReader("x").text(-1) == ""


@pytest.mark.parametrize(
    ("code", "stores"),
    [
        ("out[i] = 2 * x[i];", [("=", "2 * x[i]")]),
        ("out[i][j] += 1; other[i] = 0;", [("+=", "1")]),
        ("((float *)out)[i].x <<= s", [("<<=", "s")]),
        ("const_cast<float *>(out)[i] = 0;", [("=", "0")]),
        ("if (out[i] == 1 || out[i] <= 2) y = out[i];", []),
        ("out = p; *out = 1; \"out[0] = 1\"; // out[0] = 1", []),
    ],
)  # fmt: skip
def test_assignments_to_elements(code: str, stores: list[tuple[str, str]]) -> None:
    assert [(store.operator, store.value) for store in element_stores(code, {"out"})] == stores


@pytest.mark.parametrize(
    "code", ["x[i] = 1;", "s.a[0].y *= 2;", "x[0]++;", "--x[0];", "*p = 1;", "p->n = 1;", "atomicAdd(p, 1);", 'asm("");', "(*p) = 1;"]
)
def test_what_others_than_a_thread_see_is_an_effect(code: str) -> None:
    assert has_effect(code)


@pytest.mark.parametrize("code", ["int i = 0;", "i += 1;", "if (x[i] == 1) i++;", "p->n == 1;", "atomic(p);", '"x[0] = 1";'])
def test_what_only_its_thread_sees_is_none(code: str) -> None:
    assert not has_effect(code)


@pytest.mark.parametrize(
    ("code", "is_call"), [("f(x);", True), ("f<int>(x);", True), ("if (a < b) i = min(a, b);", False), ("a < b;", False)]
)
def test_calls_of_functions_that_may_write(code: str, is_call: bool) -> None:
    assert calls_something(code) is is_call


def test_conditions_and_what_follows_them() -> None:
    first, second, choice = asked_conditions("if (n  == 4096) { return; } while (f(i)) i++; x = n > 2 ? 1 : 0;")
    assert (first.text, second.text, choice.text) == ("n == 4096", "f(i)", "x = n > 2")
    assert returns_at_once(first.rest) and not returns_at_once(second.rest) and choice.rest == " 1 : 0;"
    assert asked_conditions("if (n")[0].text == "n"


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("n == 4096", ("n == 4096", 4096)),
        ("4'096 == (n) && m", ("4'096 == (n", 4096)),
        ("a && gridDim.x == 0x10", ("gridDim.x == 0x10", 16)),
        ("64 == blockDim.y", ("64 == blockDim.y", 64)),
        ("p.n == 32", ("n == 32", 32)),
        ("n == m || n >= 64 || m == 3", None),
        ("n == 1.5", None),
    ],
)
def test_comparisons_of_names_with_integers(condition: str, found: tuple[str, int] | None) -> None:
    assert compared_number(condition, {"n", "gridDim.x", "blockDim.y"}) == found


STATIC = "static int n = f(); static const int m = 1; static __device__ int d; static int g(int);"


def test_variables_that_outlive_a_launch() -> None:
    code = "\n__device__ unsigned left, *seen; __device__ const int size = 4; __managed__ Pair<int, 2> table[4]{};\n__device__ int f(int);"
    declared = device_state(code)
    assert [(one.names, one.text, one.line) for one in declared] == [
        (("left", "seen"), "unsigned left, *seen", 2),
        (("table",), "Pair<int, 2> table", 2),
    ]
    assert [
        one.names for one in static_state("static int n = f(); static const int m = 1; static __device__ int d; static int g(int);")
    ] == [("n",)]


def test_what_becomes_of_a_variable() -> None:
    assert is_set_back("left = 0;", "left") and is_set_back("left[i] = 0;", "left") and is_set_back("atomicInc(&left, 9)", "left")
    assert not is_set_back("left == 0; left = 1; atomicAdd(&left, 1);", "left")
    for code in ("atomicAdd(&left, 1)", "left++", "--left", "left |= 2"):
        assert is_changed_in_place(code, "left")
    assert not is_changed_in_place("left = 1; x = left - 1; f(&left)", "left")
    assert assignment_count("left = 1; left == 2; left = 3;", "left") == 2


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("int at = atomicAdd(count, 1);", [("atomicAdd", "count", True)]),
        ("if (x) atomicMax_system((int *)&s->cells[i], 1);", [("atomicMax_system", "cells", False)]),
        ("(void)atomicCAS(&(p), 0, 1); ref.fetch_add(1);", [("atomicCAS", "p", False), ("fetch_add", "ref", False)]),
        ("return box->exchange(1);", [("exchange", "box", True)]),
        ("atomicNot(x); myatomicAdd(y, 1); // atomicAdd(z, 1)", []),
    ],
)
def test_atomics_with_what_they_work_on(code: str, found: list[tuple[str, str, bool]]) -> None:
    assert [(call.function, call.target, call.is_used) for call in atomic_calls(code)] == found
    assert all(isinstance(call, AtomicCall) and code[call.start :].startswith((call.function, call.target)) for call in atomic_calls(code))


@pytest.mark.parametrize(
    ("code", "is_floating"),
    [
        ("float *const __restrict__ out", True),
        ("int *out", False),
        ("template <typename T> void f(T &out)", True),
        ("cuda::atomic_ref<double, scope> out(x);", True),
        ("cuda::atomic<int> out;", False),
        ("float x; out[0]", False),
    ],
)
def test_declarations_that_may_be_floating(code: str, is_floating: bool) -> None:
    assert may_be_floating(code, "out") is is_floating


def test_casts_to_vectors_and_their_other_names() -> None:
    code = "using vec = float4; typedef int2 pair;\n*(const vec *)&x[i]; reinterpret_cast<volatile pair &>(y); "
    code += "(float4)z; (int *)w; f(float4 *p)"
    casts = [("float4", 2, "x"), ("int2", 2, "y"), ("float4", 2, "")]
    assert [(cast.text, cast.line, cast.operand) for cast in vector_casts(code)] == casts
    assert aligned_structs("struct __align__(16) A { }; struct alignas(32) B; struct alignas(N) C; struct D;") == {"A": 16, "B": 32}


def test_other_names_of_a_pointer_without_its_const() -> None:
    code = "float *w = (float *)x; v = const_cast<float *>(x); u = static_cast<float *>(x); t = x; s = (float)x;"
    assert copies_without_const(code, "x") == ("w", "v")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("const float *x = in, y[4];", ("x",)),
        ("std::vector<int> v(n);", ("v",)),
        ("T* p; a * b; f(x);", ("p",)),
        ("float4 &r = s;", ("r",)),
    ],
)
def test_names_that_a_line_looks_to_declare(line: str, names: tuple[str, ...]) -> None:
    assert declared_names(line) == names


def test_names_through_which_memory_is_reached() -> None:
    assert names_reached("a[i] + *b + &c + d.x + e->y + *(f + 1) + g(h)") == {"a", "b", "c", "d", "e", "f"}


@pytest.mark.parametrize(
    ("text", "is_it"), [("-1.0f", True), ("(half)0", True), ("true", True), (".5", True), ("x", False), ("1 + 1", False), ("", False)]
)
def test_literals(text: str, is_it: bool) -> None:
    assert is_literal(text) is is_it
