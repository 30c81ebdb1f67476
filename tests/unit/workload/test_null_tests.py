"""Which pointers a kernel tests for null."""

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.workload.null_tests import null_tested


@pytest.mark.parametrize(
    ("body", "is_tested"),
    [
        ("if (p) y[0] = p[0];", True),
        ("if (!p) return;", True),
        ("y[0] = p != nullptr ? p[0] : 0.0f;", True),
        ("y[0] = (p) ? p[0] : 0.0f;", True),
        ("if (NULL == p || n) y[0] = 1;", True),
        ("const bool has = n > 3 && p; if (has) y[0] = p[0];", True),
        ("while (p) y[0] = 1;", True),
        ("if (p[0]) y[0] = p[0];", False),
        ("if (p[0] != 0) y[0] = 1;", False),
        ("y[0] = n ? p[0] : p[1];", False),
        ("if (p == y) y[0] = 1;", False),
        ("const float *q = n ? p : y; y[0] = q[0];", False),
        ("y[0] = p[0] + 1;", False),
    ],
)
def test_a_pointer_is_tested_where_it_is_a_truth_value_or_compared_with_null(body: str, is_tested: bool) -> None:
    text = f"__global__ void k(float *y, const float *p, int n) {{ {body} }}"
    (kernel,) = parse(Source(Path("/k.cu"), text)).kernels
    assert null_tested(text, kernel) == (frozenset({"p"}) if is_tested else frozenset())
