"""Products of matrices of doubles: where tensor cores are worth it, and in which pieces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason
from assistant.plan.expert.double_tensor_cores import DoubleTensorCores

PROGRAMS = Path(__file__).resolve().parents[3] / "data" / "plan" / "double-tensor-cores"


@pytest.fixture
def made(context_of, applied):
    """The first variant of a program's text for an architecture and a launch, or the decline."""

    def rewrite(name: str = "lower_triangle", *, on: str = "sm_90", grid: Dim3 | None = None, change=lambda text: text) -> str | Decline:
        text = change((PROGRAMS / f"{name}.cu").read_text("utf-8"))
        launches = () if grid is None else (LaunchConfig(grid, Dim3(32, 8)),)
        result = DoubleTensorCores().rewrite(replace(context_of(text), architecture=architecture(on), launches=launches))
        return result if isinstance(result, Decline) else applied(text, result[0]) if result else ""

    return rewrite


def test_an_a100_takes_pieces_of_eight_rows(made) -> None:
    text = made(on="sm_80")
    assert "double acc[4][4][2] = {};" in text and "a_i_reg[r] = a_i_tile[warp_i + r * 8 + lane / 4][p + lane % 4];" in text
    assert 'asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"' in text
    assert "const int i = blockIdx.y * 64 + warp_i + r * 8 + lane / 4;" in text


@pytest.mark.parametrize("name", ["sm_75", "sm_86", "sm_89", "sm_100", "sm_120"])
def test_gpus_whose_tensor_cores_multiply_doubles_no_faster_are_left_alone(made, name: str) -> None:
    decline = made(on=name)
    assert isinstance(decline, Decline) and decline.code is DeclineReason.NO_GAIN
    assert decline.reason == f"tensor cores of {name} multiply doubles no faster than its other units do"


def test_too_few_blocks_are_no_gain(made) -> None:
    decline = made(grid=Dim3(10, 40))  # 5 x 5 blocks of 64 x 64 elements
    assert isinstance(decline, Decline) and decline.code is DeclineReason.NO_GAIN
    assert not isinstance(made(grid=Dim3(12, 48)), Decline)


def test_of_floats_there_is_nothing_to_say(made) -> None:
    assert made(change=lambda text: text.replace("double", "float")) == ""


def test_a_template_that_no_launch_gives_a_type_is_left_alone(made) -> None:
    assert made("template_with_tiles", change=lambda text: text.replace("gemm<double>", "gemm<Real>")) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("acc += alpha * A[i * m + k] * A[j * m + k];", "acc -= A[i * m + k] * A[j * m + k];"),
        ("acc += alpha * A[i * m + k] * A[j * m + k];", "acc += A[i * m + k] * A[j * m + k] * acc;"),
        ("acc += alpha * A[i * m + k] * A[j * m + k];", "acc += A[i * m + k] + A[j * m + k];"),
        ("acc += alpha * A[i * m + k] * A[j * m + k];", "acc += A[i * m + k] / A[j * m + k];"),
        ("acc += alpha * A[i * m + k] * A[j * m + k];", "{ float x = A[i * m + k]; acc += x * A[j * m + k]; }"),
        ("double acc", "float acc"),
        ("C[i * n + j] = acc;", "if (acc > 0) return; C[i * n + j] = acc;"),
        ("j <= i)", "threadIdx.x > 2)"),
    ],
)
def test_other_loops_are_declined(made, before: str, after: str) -> None:
    def changed(text: str) -> str:
        assert before in text
        return text.replace(before, after)

    assert isinstance(made(change=changed), Decline)


@pytest.mark.parametrize(
    ("statement", "row", "column"),
    [
        ("acc = acc + A[j * m + k] * (A[i * m + k] + 1);", "A[i * m + k] + 1", "A[j * m + k]"),
        ("acc = fma(A[i * m + k], alpha * A[j * m + k], acc);", "A[i * m + k] * alpha", "A[j * m + k]"),
        ("{ double x = A[i * m + k]; double y = x * x; acc += y * A[j * m + k]; }", "A[i * m + k] * A[i * m + k]", "A[j * m + k]"),
    ],
)
def test_a_side_is_all_that_its_row_or_column_decides(made, statement: str, row: str, column: str) -> None:
    text = made(change=lambda text: text.replace("acc += alpha * A[i * m + k] * A[j * m + k];", statement))
    assert f"i < n && k < m ? {row} : 0.0;" in text
    assert f"j < n && k < m ? {column} : 0.0;" in text
