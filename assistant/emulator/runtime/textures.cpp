// Fetches, as the CUDA C++ Programming Guide defines them ("Texture Fetching"): with linear filtering, the weights have 8 bits of fraction.
#include "textures.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

#include "faults.h"
#include "small_floats.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

constexpr uint64_t HANDLE_MARK = 0x7E87A0B500000000ull;  // unlikely data: a recording looks for textures by value
constexpr size_t MOST_TEXTURES = 1 << 16;
constexpr int SIGNED = 0, UNSIGNED = 1;                  // cudaChannelFormatKind; the others are floats

std::atomic<const Texture*> textures[MOST_TEXTURES];

const Texture* texture_of(uint64_t handle) {
  uint64_t index = handle - HANDLE_MARK;
  return index < MOST_TEXTURES ? textures[index].load(std::memory_order_acquire) : nullptr;
}

union Component {
  float f;
  uint32_t bits;
};
struct Components { Component of[4]; };

// `max(x / largest, -1)` for a signed channel, `x / largest` for an unsigned one.
Component read_integer(const Texture& t, const char* at, int bits) {
  uint32_t raw = 0;
  memcpy(&raw, at, static_cast<size_t>(bits) / 8);
  auto value = t.kind == SIGNED ? static_cast<int32_t>(raw << (32 - bits)) >> (32 - bits) : static_cast<int32_t>(raw);
  Component c;
  if (!t.is_normalised_float) c.bits = static_cast<uint32_t>(value);
  else if (t.kind == SIGNED) c.f = std::max(static_cast<float>(value) / static_cast<float>((1u << (bits - 1)) - 1), -1.0f);
  else c.f = static_cast<float>(raw) / static_cast<float>((uint64_t{1} << bits) - 1);
  return c;
}

Component read_float(const char* at, int bits) {
  Component c;
  uint16_t half;
  if (bits == 32) memcpy(&c.f, at, 4);
  else memcpy(&half, at, 2), c.f = half_to_float(half);
  return c;
}

Components read_texel(const Texture& t, int64_t x, int64_t y, int64_t z) {
  Components texel{};
  const char* at = t.data + z * static_cast<int64_t>(t.plane_bytes) + y * static_cast<int64_t>(t.row_bytes) + x * static_cast<int64_t>(t.element_bytes);
  for (int i = 0; i < 4 && t.bits[i]; ++i) {
    texel.of[i] = t.kind == SIGNED || t.kind == UNSIGNED ? read_integer(t, at, t.bits[i]) : read_float(at, t.bits[i]);
    at += t.bits[i] / 8;
  }
  return texel;
}

// Wrapping and mirroring need normalised coordinates; without them the edge is repeated (cudaTextureDesc, addressMode).
int mode_of(const Texture& t, int axis) {
  int mode = t.address_mode[axis];
  return !t.has_normalised_coordinates && (mode == WRAP || mode == MIRROR) ? static_cast<int>(CLAMP) : mode;
}

// The texel that an index means along one axis; -1: the border.
int64_t addressed(int64_t i, int64_t size, int mode) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case WRAP: return (i % size + size) % size;
    case MIRROR: {
      int64_t folded = (i % (2 * size) + 2 * size) % (2 * size);
      return folded < size ? folded : 2 * size - 1 - folded;
    }
    case BORDER: return -1;
    default: return i < 0 ? 0 : size - 1;
  }
}

struct Axis {
  int64_t index[2];                          // of the texels to mix; -1: the border
  float weight;                              // of the second
};

Axis along(const Texture& t, float coordinate, int axis, int64_t size) {
  double place = t.has_normalised_coordinates ? static_cast<double>(coordinate * static_cast<float>(size)) : coordinate;
  if (!(std::fabs(place) < 1e15)) place = place < 0 ? -1e15 : 1e15;  // infinity and NaN have no index
  if (t.is_linear_filter) place -= 0.5;
  double first = std::floor(place);
  auto i = static_cast<int64_t>(first);
  int mode = mode_of(t, axis);
  float weight = t.is_linear_filter ? std::nearbyint(static_cast<float>(place - first) * 256) / 256 : 0;
  return {{addressed(i, size, mode), t.is_linear_filter ? addressed(i + 1, size, mode) : 0}, weight};
}

Axis only(int64_t index) { return {{index, index}, 0}; }

Components texel_or_border(const Texture& t, int64_t x, int64_t y, int64_t z) {
  if (x >= 0 && y >= 0 && z >= 0) return read_texel(t, x, y, z);
  Components border;
  for (int i = 0; i < 4; ++i) {
    bool is_float = t.is_normalised_float || t.kind > UNSIGNED;
    if (is_float) border.of[i].f = t.border[i];
    else border.of[i].bits = static_cast<uint32_t>(static_cast<int64_t>(t.border[i]));
  }
  return border;
}

Components mixed(const Texture& t, const Axis& x, const Axis& y, const Axis& z) {
  if (x.weight == 0 && y.weight == 0 && z.weight == 0) return texel_or_border(t, x.index[0], y.index[0], z.index[0]);
  Components sum{};
  for (int corner = 0; corner < 8; ++corner) {
    int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
    float weight = (i ? x.weight : 1 - x.weight) * (j ? y.weight : 1 - y.weight) * (k ? z.weight : 1 - z.weight);
    if (weight == 0) continue;
    Components texel = texel_or_border(t, x.index[i], y.index[j], z.index[k]);
    for (int c = 0; c < 4; ++c) sum.of[c].f += weight * texel.of[c].f;
  }
  return sum;
}

Components fetch(const Texture& t, int kind, float x, float y, float z, int index) {
  const Axis first = only(0), layer = only(std::clamp<int64_t>(index, 0, t.depth - 1));
  switch (kind) {
    case EMU_TEXEL_OF_LINEAR: return index >= 0 && index < t.width ? read_texel(t, index, 0, 0) : Components{};
    case EMU_TEXEL_1D: return mixed(t, along(t, x, 0, t.width), first, first);
    case EMU_TEXEL_2D: return mixed(t, along(t, x, 0, t.width), along(t, y, 1, t.height), first);
    case EMU_TEXEL_3D: return mixed(t, along(t, x, 0, t.width), along(t, y, 1, t.height), along(t, z, 2, t.depth));
    case EMU_TEXEL_1D_LAYERED: return mixed(t, along(t, x, 0, t.width), first, layer);
    default: return mixed(t, along(t, x, 0, t.width), along(t, y, 1, t.height), layer);
  }
}

}  // namespace

uint64_t add_texture(const Texture& texture) {
  static std::mutex& one_at_a_time = *new std::mutex;
  static size_t next = 1;
  std::lock_guard<std::mutex> hold(one_at_a_time);
  for (size_t tried = 1; tried < MOST_TEXTURES; ++tried, next = next % (MOST_TEXTURES - 1) + 1)
    if (!textures[next].load()) {
      textures[next].store(new Texture(texture));
      return HANDLE_MARK + next;
    }
  return 0;
}

bool remove_texture(uint64_t handle) {
  if (!texture_of(handle)) return false;
  textures[handle - HANDLE_MARK].store(nullptr);  // the description stays: a fetch may be using it
  return true;
}

bool is_texture(uint64_t value) { return texture_of(value) != nullptr; }

}  // namespace emu

using namespace emu;

extern "C" EmuTexel emu_texture_fetch(uint64_t handle, int kind, float x, float y, float z, int index) {
  const Texture* t = texture_of(handle);
  if (!t || t->is_linear_memory != (kind == EMU_TEXEL_OF_LINEAR))
    abort_launch("wild_pointer", EMU_CALLER, handle, t ? "a fetch of another kind than the texture object's memory" : "a fetch through what is no texture object",
                 CUDA_ERROR_ILLEGAL_ADDRESS);
  note_beyond_counters("texture fetches");
  Components c = fetch(*t, kind, x, y, z, index);
  return {c.of[0].bits | uint64_t{c.of[1].bits} << 32, c.of[2].bits | uint64_t{c.of[3].bits} << 32};
}
