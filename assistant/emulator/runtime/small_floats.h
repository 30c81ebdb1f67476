// Numbers of 16 bits: half precision and bfloat16.
#pragma once
#include <cstdint>
#include <cstring>

namespace emu {

template <class To, class From>
To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  memcpy(&result, &value, sizeof result);
  return result;
}

inline float half_to_float(uint16_t h) {
  uint32_t sign = uint32_t{h} >> 15 << 31, exponent = h >> 10 & 31, fraction = h & 1023u;
  if (exponent == 31) return bits_as<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

// Rounds to nearest even, as atom.add.noftz.f16 does (PTX ISA, atom).
inline uint16_t float_to_half(float f) {
  uint32_t x = bits_as<uint32_t>(f), sign = x >> 16 & 0x8000u;
  x &= 0x7fffffffu;
  if (x > 0x7f800000u) return 0x7fff;
  if (x >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (x < 0x38800000u) {
    float scaled = bits_as<float>(x) + 0.5f;  // the addition rounds to multiples of 2^-24
    return static_cast<uint16_t>(sign | (bits_as<uint32_t>(scaled) - 0x3f000000u));
  }
  x += 0xc8000fffu + (x >> 13 & 1);
  return static_cast<uint16_t>(sign | x >> 13);
}

inline float bfloat_to_float(uint16_t b) { return bits_as<float>(uint32_t{b} << 16); }

inline uint16_t float_to_bfloat(float f) {
  uint32_t x = bits_as<uint32_t>(f);
  if ((x & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<uint16_t>((x + 0x7fffu + (x >> 16 & 1)) >> 16);
}

}  // namespace emu
