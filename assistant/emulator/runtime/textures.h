// Texture objects and CUDA arrays: where the texels lie and how they are read.
#pragma once
#include <cstddef>
#include <cstdint>

#include "abi.h"

// A CUDA array: rows without gaps in device memory, planes or layers behind each other.
struct cudaArray {
  int bits[4];                               // of each channel; 0: none
  int kind;                                  // cudaChannelFormatKind
  size_t width, height, depth;               // in elements; height and depth are 0 where the array has none
  unsigned flags;
  size_t element_bytes;
  char* data;
  size_t row_bytes() const { return width * element_bytes; }
  size_t rows() const { return height ? height : 1; }
  size_t planes() const { return depth ? depth : 1; }
};

namespace emu {

enum AddressMode { WRAP = 0, CLAMP = 1, MIRROR = 2, BORDER = 3 };

struct Texture {
  const char* data;
  int bits[4];
  int kind;                                  // cudaChannelFormatKind
  size_t element_bytes, row_bytes, plane_bytes;
  int64_t width, height, depth;              // at least 1
  int address_mode[3];
  bool is_linear_filter, is_normalised_float, has_normalised_coordinates, is_linear_memory;
  float border[4];
};

// A handle for the texture; 0 if there are too many.
uint64_t add_texture(const Texture& texture);
bool remove_texture(uint64_t handle);
// Whether the value is a live texture object: programs hold no other value that looks like one.
bool is_texture(uint64_t value);

}  // namespace emu
