"""What recorded memory holds is known from the pointer parameters of the kernels that it was passed to."""

from __future__ import annotations

import pytest

from assistant.cuda.struct_layouts import layout_named
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording, Transfer
from assistant.workload.passed_types import PassedTypes, typed

CONFIG = LaunchConfig(Dim3(1, 1, 1), Dim3(32, 1, 1), 0)


def launch(kernel: str, *offsets: int) -> RecordedLaunch:
    """A launch whose arguments point into buffer 0 at ``offsets``."""
    arguments = tuple(RecordedArgument(8, "00" * 8, (PointerField(0, 0, offset),)) for offset in offsets)
    return RecordedLaunch(0, kernel, CONFIG, arguments, (), "a.cu", 1)


def copied(*launches: RecordedLaunch, offset: int = 0, size: int = 400, buffer: int | None = 0) -> str | None:
    transfer = Transfer("memcpy", "", size, 0, None, buffer, offset)
    return PassedTypes(launches).typed_transfer(transfer).element_type


def test_copied_bytes_have_the_type_of_the_parameter_that_pointed_to_them() -> None:
    assert copied(launch("price<float>(float*, float const*)", 0), offset=80) == "float"
    assert copied(launch("step(ns::Particle*, int)", 0)) == "ns::Particle"
    assert copied(launch("k(float*)", 0), buffer=None) is None
    assert copied(launch("k(float*)", 0), buffer=1) is None


def test_a_scalar_and_its_vectors_are_one_type() -> None:
    assert copied(launch("k(float4*)", 0), launch("k2(float const*)", 0)) == "float"
    assert copied(launch("k(float*)", 0), launch("k2(int*)", 0)) is None


@pytest.mark.parametrize(("offset", "size", "kind"), [(0, 256, "float"), (64, 64, "float"), (256, 144, "int"), (128, 256, None)])
def test_a_buffer_that_is_divided_has_a_type_per_part(offset: int, size: int, kind: str | None) -> None:
    assert copied(launch("k(float*, int*)", 0, 256), offset=offset, size=size) == kind


def test_members_of_a_struct_that_is_passed_by_value_show_what_they_point_to() -> None:
    text = "struct Table { const double *price; int *flags; int rows; };"
    argument = RecordedArgument(24, "00" * 24, (PointerField(0, 0, 0), PointerField(8, 1, 0)))
    called = RecordedLaunch(0, "total(Table, float*)", CONFIG, (argument,), (), "a.cu", 1)
    buffers = tuple(RecordedBuffer(identity, 80, 256, None, "device") for identity in range(3))
    found = typed(Recording(buffers, (called,), (Transfer("memcpy", "", 80, 0, None, 1, 0),), ()), lambda name: layout_named(text, name))
    assert [buffer.element_type for buffer in found.buffers] == ["double", "int", None]
    assert found.transfers[0].element_type == "int"
