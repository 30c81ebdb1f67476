"""Which functions of the host a text defines."""

from __future__ import annotations

import pytest

from assistant.cuda.host_functions import host_functions, is_named

TEXT = """namespace flow {
template <class T> struct Solver {
  Solver() {}
  void step(T *x) { k<<<1, 1>>>(x); }
  static void halve();
};
static inline void relax(float *x) { }
__device__ float f(float a) { return a; }
__global__ void k(float *x) { }
}
template <class T> void flow::Solver<T>::halve() { }
int main() { auto lambda = [] { }; lambda(); }
"""


def test_definitions_are_found_by_their_qualified_names() -> None:
    assert host_functions(TEXT) == ("flow::Solver::Solver", "flow::Solver::step", "flow::relax", "flow::Solver<T>::halve", "main")


@pytest.mark.parametrize(
    ("wanted", "is_it"), [("step", True), ("Solver::step", True), ("flow::Solver::step", True), ("tep", False), ("flow::step", False)]
)
def test_a_function_goes_by_the_end_of_its_name(wanted: str, is_it: bool) -> None:
    assert is_named("flow::Solver::step", wanted) is is_it
