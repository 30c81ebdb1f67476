"""How an angle is written in units of pi, whatever holds the pi, and which sines and cosines belong together."""

from __future__ import annotations

import pytest

from assistant.model.plan import Decline
from assistant.model.verification import Label
from assistant.plan.expert.cheaper_functions import CheaperFunctions

KERNEL = """// kernel=k line={line} finding=KO126
{before}__global__ void k(double *o, const double *x, const float *f, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
"""


def rewritten(context_of, applied, body: str, before: str = "") -> str:
    text = KERNEL.format(line=4 + before.count("\n"), before=before, body=body)
    found = CheaperFunctions().rewrite(context_of(text))
    assert not isinstance(found, Decline), found.reason
    new = applied(text, found[0])
    return new.split("threadIdx.x;\n    ")[1].removesuffix("\n}\n")


def declined(context_of, body: str, before: str = "") -> Decline:
    found = CheaperFunctions().rewrite(context_of(KERNEL.format(line=4 + before.count("\n"), before=before, body=body)))
    assert isinstance(found, Decline)
    return found


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("o[i] = cos(2 * M_PI * x[i]);", "o[i] = cospi(2.0 * x[i]);"),
        ("o[i] = cos((2.0 * M_PI) * x[i]);", "o[i] = cospi(2.0 * x[i]);"),
        ("o[i] = cos(x[i] * M_PI_2);", "o[i] = cospi(x[i] * 0.5);"),
        ("o[i] = cos(-M_PI * x[i]);", "o[i] = cospi(-x[i]);"),
        ("o[i] = sin(x[i] * M_PI / 180.0);", "o[i] = sinpi(x[i] / 180.0);"),
        ("o[i] = sin(x[i] * (M_PI / 180.0));", "o[i] = sinpi(x[i] * (1.0 / 180.0));"),
        ("o[i] = cos(2.0 * M_PI * x[i] + M_PI / 2);", "o[i] = cospi(2.0 * x[i] + 0.5);"),
        ("o[i] = cos(M_PI * i * 3 / n);", "o[i] = cospi((double)i * 3 / n);"),
        ("o[i] = cos(i * n * M_PI / n);", "o[i] = cospi((double)(i * n) / n);"),
        ("o[i] = sin(M_PI * f[i]);", "o[i] = sinpi((double)f[i]);"),
        ("o[i] = sinf(f[i] * 3.1415926f);", "o[i] = sinpif(f[i]);"),
        ("o[i] = ::cos(CUDART_PI * x[i]) + std::sin(2 * CUDART_PI * x[i]);", "o[i] = cospi(x[i]) + sinpi(2.0 * x[i]);"),
        ("const double tau = 6.283185307179586;\n    o[i] = cos(tau * x[i]);", "o[i] = cospi(2.0 * x[i]);"),
        ("double s, c; sincos(2 * M_PI * x[i], &s, &c); o[i] = s * c;", "double s, c; sincospi(2.0 * x[i], &s, &c); o[i] = s * c;"),
        (
            "double t = 2 * M_PI * x[i]; o[i] = cos(t); o[i] += sin(3 * t);",
            "double t = 2.0 * x[i]; o[i] = cospi(t); o[i] += sinpi(3 * t);",
        ),
        ("float a = M_PI * f[i]; o[i] = cosf(a);", "float a = f[i]; o[i] = cospif(a);"),
    ],
)
def test_pi_goes_and_the_type_of_what_is_left_stays(context_of, applied, body, after):
    lines = body.split("\n")
    at = KERNEL if len(lines) == 1 else KERNEL.replace("line={line}", "line=5")
    text = at.format(line=4, before="", body=body)
    found = CheaperFunctions().rewrite(context_of(text))
    assert not isinstance(found, Decline), found.reason
    assert applied(text, found[0]).split("threadIdx.x;\n    ")[1].removesuffix("\n}\n") == after


@pytest.mark.parametrize(
    "before",
    [
        "#define PI 3.14159265358979323846\n",
        "#define PI (3.14159265358979)\n",
        "#ifndef PI\n#define PI acos(-1.0)\n#endif\n",
        "constexpr double PI = 3.141592653589793;\n",
        "const double PI = 4.0 * atan(1.0);\n",
        "static const double PI = M_PI;\n",
    ],
)
def test_pi_is_known_by_its_value(context_of, applied, before):
    assert rewritten(context_of, applied, "o[i] = cos(x[i] * PI * 0.5);", before) == "o[i] = cospi(x[i] * 0.5);"


@pytest.mark.parametrize("pi", ["3.14", "3.1416", "3.14159", "3.14159265", "3.14159265358979f"])
def test_what_is_only_near_pi_is_left_alone(context_of, pi):
    assert "only near a multiple of pi" in declined(context_of, f"o[i] = cos({pi} * x[i]);").reason


def test_a_double_s_angle_is_for_a_person_and_a_float_s_is_held_to_its_float64_values(context_of):
    labels = {}
    for body in ("o[i] = cos(2 * M_PI * x[i]);", "o[i] = cosf(6.2831853f * f[i]);", "o[i] = pow(2.0, x[i]);"):
        found = CheaperFunctions().rewrite(context_of(KERNEL.format(line=4, before="", body=body)))
        assert not isinstance(found, Decline)
        labels[body] = found[0].labels
    assert list(labels.values()) == [(Label.PRECISION,), (), ()]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("o[i] = sin(x[i] + 1.0) * cos(x[i] + 1.0);", "double s, c;\n    sincos(x[i] + 1.0, &s, &c);\n    o[i] = s * c;"),
        ("const double c = cos(x[i]), s = sin(x[i]); o[i] = s * c;", "double c, s;\n    sincos(x[i], &s, &c); o[i] = s * c;"),
        ("double a = x[i]; o[i] = cos(a) + sin(a) * sin(a);", "double a = x[i]; double cos_a, sin_a;\n    sincos(a, &sin_a, &cos_a); "
         "o[i] = cos_a + sin_a * sin_a;"),
    ],
)  # fmt: skip
def test_a_sine_and_a_cosine_of_one_angle_are_taken_together(context_of, applied, body, after):
    assert rewritten(context_of, applied, body) == after


@pytest.mark.parametrize(
    "body",
    [
        "double t = x[i]; o[i] = cos(t); t += 1.0; o[i] += sin(t);",
        "o[i] = x[i] > 0 ? cos(x[i]) : sin(x[i]);",
        "o[i] = cos(x[i]); if (n > 3) { o[i] += sin(x[i]); }",
        "o[i] = cos(x[i]); o[n] = sin(x[i]);",
        "o[i] = cos(o[i + 1]); o[i + n] = sin(o[i + 1]);",
        "o[i] = cos(2.0 * M_PI * 0.25) + sin(0.5);",
    ],
)
def test_what_may_differ_or_need_not_run_is_no_pair(context_of, body):
    assert declined(context_of, body).reason.startswith("nothing on this line")


def test_a_power_of_a_float_that_is_wanted_as_a_double_stays_one(context_of, applied):
    assert rewritten(context_of, applied, "o[i] = pow(2.0, f[i]);") == "o[i] = exp2((double)f[i]);"
    assert declined(context_of, "float z = pow(2.0, f[i]); o[i] = z;").reason.endswith("the literal first, then the power")
    assert declined(context_of, "o[i] = pow(2.0, i);").reason.startswith("`i` is an integer")
