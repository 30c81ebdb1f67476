"""Which structs are plain enough to be passed by value from a declared workload."""

import pytest

from assistant.cuda.structs import struct_fields


def test_fields_stand_in_order_with_their_types() -> None:
    text = "struct P { float a, b; /* more */ unsigned int n; const float4 v; };"
    assert struct_fields(text) == {"P": (("a", "float"), ("b", "float"), ("n", "unsigned int"), ("v", "float4"))}


def test_a_typedef_names_a_struct_too() -> None:
    fields = (("x", "int"),)
    assert struct_fields("typedef struct { int x; } A; typedef struct B_ { int x; } B;") == {"A": fields, "B_": fields, "B": fields}


def test_member_functions_take_no_room() -> None:
    text = "struct P { float a; __host__ __device__ P(float v) : a(v) {} __device__ float twice() const { return 2 * a; } float f(); };"
    assert struct_fields(text) == {"P": (("a", "float"),)}


def test_a_default_value_changes_no_layout() -> None:
    assert struct_fields("struct P { float a = 1.5f; };") == {"P": (("a", "float"),)}


@pytest.mark.parametrize(
    "body",
    [
        "struct P : Q { float a; };",
        "struct P { int a : 3; };",
        "struct P { float a[4]; };",
        "struct P { float *a; };",
        "struct P { virtual void f(); float a; };",
        "struct alignas(16) P { float a; };",
        "struct __align__(16) P { float a; };",
        "struct P { alignas(8) float a; };",
        "struct P { static int a; float b; };",
        "struct P { union { int a; float b; }; };",
        "template <class T> struct P { T a; };",
        "struct P;",
        "struct P { float a; }; namespace n { struct P { int a; }; }",
        "#pragma pack(push, 1)\nstruct P { char a; float b; };\n#pragma pack(pop)",
        "struct __attribute__((packed)) P { char a; float b; };",
        "struct P { char a; float b; } __attribute__((packed));",
    ],
)
def test_what_decides_a_layout_in_another_way_is_left_out(body: str) -> None:
    assert struct_fields(body) == {}
