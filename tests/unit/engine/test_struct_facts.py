"""What the rules are told of arrays of structures."""

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.facts import source_facts
from assistant.model.source import Source
from assistant.profile.facts import SourceFacts, StructUse


def _facts(text: str) -> SourceFacts:
    parsed = parse(Source(Path("/k.cu"), text))
    return source_facts(parsed, parsed.kernels[0])


_STRUCTS = """
struct Particle { float x, y, z, vx, vy, vz, m, q; };
__global__ void k(float *out, const Particle *p, const float4 *v, const Particle *whole) {
  int i = threadIdx.x;
  float vx = p[i].vx;
  out[i] = p[i].x + vx * p[i].m + v[i].w;
  Particle copy = whole[i];
  out[i] += copy.y + whole[i].x;
}
"""


def test_members_used_of_an_array_of_structures_are_found_by_line() -> None:
    facts = _facts(_STRUCTS)
    assert facts.at("k.cu", 5).structs == (StructUse("p", "Particle", 32, ("vx",), 12),)
    assert facts.at("k.cu", 6).structs == (StructUse("p", "Particle", 32, ("x", "m"), 12), StructUse("v", "float4", 16, ("w",), 4))


def test_an_array_of_numbers_is_none_of_structures_whatever_its_type_is_called() -> None:
    for alias in ("using u32 = unsigned int;", "typedef unsigned int u32;"):
        facts = _facts(f"{alias}\n__global__ void k(int *o, const u32 *h) {{\n  if (h[729 * threadIdx.x] > 1) o[0] = 1;\n}}\n")
        assert facts.at("k.cu", 3).structs == ()


_REFERENCE = """
struct Particle { float x, y, z, vx, vy, vz, m, q; };
__device__ float kinetic(const Particle &p) {
  return 0.5f * p.m * p.vy * p.vy;
}
__global__ void k(float *out, Particle *ps, float dt) {
  int i = threadIdx.x;
  Particle &p = ps[i];
  p.x += p.vx * dt;
  out[i] = kinetic(p);
}
"""


def test_members_used_through_a_reference_to_an_element_are_those_of_its_array() -> None:
    facts = _facts(_REFERENCE)
    assert facts.at("k.cu", 9).structs == (StructUse("ps", "Particle", 32, ("x", "vx"), 16),)
    assert facts.at("k.cu", 4).structs == (StructUse("ps", "Particle", 32, ("m", "vy"), 16),)


def test_a_reference_that_is_copied_whole_is_left_out() -> None:
    assert _facts(_REFERENCE.replace("p.x += p.vx * dt;", "Particle copy = p;")).at("k.cu", 4).structs == ()


def test_of_a_structure_that_is_copied_whole_those_members_count_that_the_copy_is_asked_for() -> None:
    assert _facts(_STRUCTS).at("k.cu", 7).structs == (StructUse("whole", "Particle", 32, ("y",), 8),)
    assert _facts(_STRUCTS).at("k.cu", 8).structs == (StructUse("whole", "Particle", 32, ("x",), 8),)


_PIXELS = """
struct Pixel { unsigned char r, g, b; };
__global__ void k(float *out, const Pixel *in, Pixel *copied, const float4 *v, float4 *w, uchar3 *u) {
  int i = threadIdx.x;
  Pixel p = in[i];
  out[i] = p.r + p.g;
  copied[i] = in[i + 1];
  w[i] = v[i];
  u[i] = u[i + 1];
}
"""


def test_an_array_of_small_structures_is_walked_member_by_member_also_where_whole_ones_are_copied() -> None:
    facts = _facts(_PIXELS)
    assert facts.at("k.cu", 5).structs == (StructUse("in", "Pixel", 3, ("r", "g"), 3),)
    assert facts.at("k.cu", 7).structs == tuple(StructUse(name, "Pixel", 3, ("r", "g", "b"), 3) for name in ("in", "copied"))
    assert facts.at("k.cu", 8).structs == (), "one access moves a float4"
    assert facts.at("k.cu", 9).structs == (StructUse("u", "uchar3", 3, ("x", "y", "z"), 3),)


def test_elements_that_are_structures_are_known_however_they_are_used() -> None:
    facts = _facts(_PIXELS.replace("Pixel p = in[i];", "float q = bright(in[i]);"))
    assert [facts.at("k.cu", line).moves_structures for line in (5, 6, 7, 8)] == [True, False, True, False]
    assert facts.at("k.cu", 5).structs == (), "what a function uses of it is not known"


def test_a_copy_that_is_passed_on_whole_uses_all_of_it() -> None:
    whole = _facts(_PIXELS.replace("p.r + p.g", "bright(p)"))
    assert whole.at("k.cu", 5).structs == (StructUse("in", "Pixel", 3, ("r", "g", "b"), 3),)


@pytest.mark.parametrize(
    ("old", "new", "uses"),
    [
        ("p[i].x + vx", "p[i].x + p[i].gone", (StructUse("v", "float4", 16, ("w",), 4),)),
        ("float x, y, z,", "Unknown u; float x, y, z,", (StructUse("v", "float4", 16, ("w",), 4),)),
        ("v[i].w", "v[i].q", (StructUse("p", "Particle", 32, ("x", "m"), 12),)),
    ],
)
def test_members_that_are_not_known_say_nothing(old: str, new: str, uses: tuple[StructUse, ...]) -> None:
    assert _facts(_STRUCTS.replace(old, new)).at("k.cu", 6).structs == uses


@pytest.mark.parametrize(("name", "members"), [("float2", "xy"), ("float3", "xyz"), ("double4", "xyzw"), ("float1", ""), ("__half2", "")])
def test_vectors_have_as_many_members_as_their_names_say(name: str, members: str) -> None:
    for member in "xyzw":
        (use,) = _facts(f"__global__ void k(float *c, {name} *v) {{\n  c[0] = v[0].{member};\n}}\n").at("k.cu", 2).structs or (None,)
        assert (use is not None) is (member in members)
        size = 8 if name.startswith("double") else 4
        assert use is None or (use.size_bytes, use.used_bytes) == (size * len(members), size)


@pytest.mark.parametrize(
    ("old", "new", "is_known"),
    [
        ("kinetic(p)", "elsewhere(p)", False),
        ("kinetic(p)", "kinetic(ps[i])", False),
        ("const Particle &p)", "const Particle &p, const Particle &other)", True),
        ("  return 0.5f * p.m * p.vy * p.vy;\n", "  return other(p);\n", True),
    ],
)
def test_a_reference_that_is_passed_on_is_followed_into_helpers_alone(old: str, new: str, is_known: bool) -> None:
    assert bool(_facts(_REFERENCE.replace(old, new)).at("k.cu", 9).structs) is is_known
