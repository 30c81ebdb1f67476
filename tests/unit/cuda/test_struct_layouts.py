"""Where members of structs stand, as the compiler lays them out."""

from __future__ import annotations

import pytest

from assistant.cuda.struct_layouts import layout_named, struct_layouts


def members(text: str, name: str = "P") -> tuple[int, list[tuple[str, str, int, int]]]:
    layout = struct_layouts(text)[name]
    return layout.size_bytes, [(m.path, m.element.name, m.count, m.offset_bytes) for m in layout.members]


def test_members_stand_at_their_natural_alignment() -> None:
    text = "struct P { float x; double d; bool on; short id; };"
    assert members(text) == (24, [("x", "float", 1, 0), ("d", "double", 1, 8), ("on", "bool", 1, 16), ("id", "short", 1, 18)])


def test_vectors_arrays_pointers_and_enumerations_are_members() -> None:
    text = "#define K 3\nenum Kind { A };\nstruct P { float4 at; float3 v; double m[K][2]; Kind k; float *next; };"
    expected = [("at", "float4", 1, 0), ("v", "float3", 1, 16), ("m", "double", 6, 32), ("k", "unsigned int", 1, 80)]
    assert members(text) == (96, [*expected, ("next", "unsigned long", 1, 88)])


def test_a_pointer_says_what_it_points_to() -> None:
    text = "typedef unsigned long long u64; struct Q { int a; }; struct P { const float *x, *y; u64 *keys; Q *qs; float **rows; int n; };"
    targets = {m.path: m.points_to for m in struct_layouts(text)["P"].members}
    assert targets == {"x": "float", "y": "float", "keys": "unsigned long long", "qs": "Q", "rows": None, "n": None}


@pytest.mark.parametrize(
    ("spelled", "targets"),
    [
        ("View<float const, 3>", {"data": "float", "n": None, "at": None}),
        ("ns::View<ns::Pair<int>, 2>", {"data": "ns::Pair<int>", "n": None, "at": None}),
        ("View<float>", None),
        ("Other<float, 3>", None),
        ("Twice<float>", None),
    ],
)
def test_instances_of_struct_templates_have_their_arguments_types(spelled: str, targets: dict[str, str | None] | None) -> None:
    text = """namespace ns { template <typename T> struct Pair { T a, b; };
template <class T, int N = 4> struct View { T *data; int n; int at[N]; __device__ T &operator[](int i) const { return data[i]; } }; }
template <typename T> struct Twice { T x; };
template <> struct Twice<float> { float x[2]; };
template <typename T> struct Twice<T *> { T *x; };
"""
    layout = layout_named(text, spelled)
    assert (None if layout is None else {member.path: member.points_to for member in layout.members}) == targets


def test_nested_structs_and_typedefs_are_taken_apart() -> None:
    text = "typedef float real; namespace g { struct V { real x, y; }; } typedef struct { g::V at[2]; int n; } P;"
    parts = [("at[0].x", 0), ("at[0].y", 4), ("at[1].x", 8), ("at[1].y", 12)]
    assert members(text) == (20, [*((path, "float", 1, offset) for path, offset in parts), ("n", "int", 1, 16)])


def test_member_functions_take_no_room_and_an_alignment_is_kept() -> None:
    text = "struct __align__(16) P { float x; static int count; P(); __device__ float f() const { return x; } P &operator=(const P &); };"
    assert members(text) == (16, [("x", "float", 1, 0)])


@pytest.mark.parametrize(
    "text",
    [
        "struct P { int a : 3; int b; };",
        "struct Q { int a; }; struct P : Q { int b; };",
        "struct P { virtual void f(); int a; };",
        "struct P { int a; float (*f)(float); };",
        "struct P { float *many[2]; int a; };",
        "union U { int i; float f; }; struct P { U u; };",
        "#pragma pack(1)\nstruct P { char c; int i; };",
        "struct P { char c; int i; } __attribute__((packed));",
        "struct P { int a; alignas(16) float b; };",
        "struct P { Unknown u; };",
        "template <class T> struct P { T a; };",
        "namespace a { struct P { int a; }; } namespace b { struct P { float b; }; }",
    ],
)
def test_a_layout_that_the_text_does_not_give_is_unknown(text: str) -> None:
    assert "P" not in struct_layouts(text)


def test_a_type_is_found_as_the_compiler_spells_it() -> None:
    text = "namespace ns { struct P { float x; }; }"
    found = layout_named(text, "ns::P const")
    assert found is not None and found.name == "P"
    assert layout_named(text, "float") is None and layout_named(text, None) is None
