"""What a helper changes by reference, or by an address, is named directly where its loop is written into the kernel."""

from __future__ import annotations

from assistant.cuda.edits import apply_edits
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.writing.opened_helper import OpenedHelper, opened_helper

PROGRAM = """\
// kernel=k line=3 finding=KO108
struct Kept {};
__device__ void add(PARAMETERS) {
    for (int j = 0; j < n; j++) { BODY }
}
__global__ void k(const float *a, float *y, int n, int at) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 1, t[4] = {};
    CALL
    y[i] = s + t[0] + t[1] + at;
}
"""


def opened(context_of, parameters: str, body: str, call: str) -> str:
    """The kernel's statements in the place of the call; why it stays where it does."""
    text = PROGRAM.replace("PARAMETERS", parameters).replace("BODY", body).replace("CALL", call)
    found = opened_helper(context_of(text))
    if isinstance(found, Obstacle):
        return found.reason
    assert isinstance(found, OpenedHelper)
    after = apply_edits(text, found.edits)
    assert isinstance(after, str)
    return " ".join(after.partition("= {};")[2].partition("y[i] = s +")[0].split())


def test_a_variable_takes_the_reference_s_name(context_of):
    found = opened(context_of, "const float *x, int n, float &sum", "sum += x[j];", "add(a, n, s);")
    assert found == "for (int j = 0; j < n; j++) { s += a[j]; }"


def test_an_element_that_stays_in_its_place_too(context_of):
    found = opened(context_of, "const float *x, int n, float &sum, float &most", "sum += x[j]; most = x[j];", "add(a, n, t[at], y[i]);")
    assert found == "for (int j = 0; j < n; j++) { t[at] += a[j]; y[i] = a[j]; }"


def test_a_pointer_to_a_variable_becomes_the_variable(context_of):
    found = opened(context_of, "const float *x, int n, float *sum", "*sum += x[j]; (*sum)++;", "add(a, n, &s);")
    assert found == "for (int j = 0; j < n; j++) { s += a[j]; s++; }"


def test_a_pointer_that_is_indexed_or_passed_on_stays_one(context_of):
    for body in ("sum[0] += x[j];", "float *other = sum; *other += x[j];"):
        assert "float *sum = &s;" in opened(context_of, "const float *x, int n, float *sum", body, "add(a, n, &s);")


def test_a_copy_of_what_also_changes_stays_a_copy(context_of):
    found = opened(context_of, "const float *x, int n, float first, float &sum", "sum += x[j] * first;", "add(a, n, s, s);")
    assert found == "float first = s; for (int j = 0; j < n; j++) { s += a[j] * first; }"
    found = opened(context_of, "const float *x, int n, float first, float *sum", "*sum += x[j] * first;", "add(a, n, s, &s);")
    assert found == "float first = s; for (int j = 0; j < n; j++) { s += a[j] * first; }"


def test_an_element_that_the_call_moves_is_left_alone(context_of):
    words = "the loop is in `add`, what it changes by reference would have to be a variable, or an element of one place"
    changes = "sum += x[j]; where++;"
    assert opened(context_of, "const float *x, int n, float &sum, int &where", changes, "add(a, n, t[at], at);") == words
    changes = "sum += x[j]; (*where)++;"
    assert opened(context_of, "const float *x, int n, float &sum, int *where", changes, "add(a, n, t[at], &at);") == words
    assert opened(context_of, "const float *x, int n, float &sum", "sum += x[j];", "add(a, n, t[at++]);") == words
    assert opened(context_of, "const float *x, int n, float &sum", "sum += x[j];", "add(a, n, *y);") == words
