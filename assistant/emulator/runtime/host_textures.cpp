// CUDA arrays and texture objects.
#include <cstring>
#include <map>
#include <mutex>

#include "host.h"
#include "emu/textures.h"
#include "textures.h"

using emu_host::device_fault;
using emu_host::fail;

namespace {

struct Described {
  cudaResourceDesc resource;
  cudaTextureDesc how;
};
struct Objects {
  std::mutex mutex;
  std::map<cudaTextureObject_t, Described> by_handle;
};
Objects& objects() {
  static Objects& instance = *new Objects;
  return instance;
}

bool is_channel_format(const cudaChannelFormatDesc& d) {
  const int bits[4] = {d.x, d.y, d.z, d.w};
  for (int i = 0; i < 4; ++i) {
    bool is_width = bits[i] == 8 || bits[i] == 16 || bits[i] == 32;
    if (bits[i] != 0 && (!is_width || bits[i] != d.x)) return false;
    if (i && bits[i] && !bits[i - 1]) return false;
  }
  bool is_float = d.f == cudaChannelFormatKindFloat;
  return d.x && d.f <= cudaChannelFormatKindFloat && (!is_float || d.x >= 16);
}

size_t bytes_of(const cudaChannelFormatDesc& d) { return static_cast<size_t>(d.x + d.y + d.z + d.w) / 8; }

cudaChannelFormatDesc desc_of(const cudaArray& a) { return {a.bits[0], a.bits[1], a.bits[2], a.bits[3], static_cast<cudaChannelFormatKind>(a.kind)}; }

// Whether the bytes are those of one allocation: fetches are not checked.
bool is_device_range(const void* pointer, size_t bytes) {
  void* start;
  size_t size;
  if (!emu_find_allocation(pointer, &start, &size, nullptr)) return false;
  auto offset = static_cast<size_t>(static_cast<const char*>(pointer) - static_cast<char*>(start));
  return offset <= size && bytes <= size - offset;
}

void set_format(emu::Texture& t, const cudaChannelFormatDesc& d) {
  const int bits[4] = {d.x, d.y, d.z, d.w};
  memcpy(t.bits, bits, sizeof bits);
  t.kind = d.f;
  t.element_bytes = bytes_of(d);
}

void set_place(emu::Texture& t, const void* data, size_t row_bytes, size_t width, size_t height, size_t depth) {
  t.data = static_cast<const char*>(data);
  t.row_bytes = row_bytes;
  t.plane_bytes = row_bytes * height;
  t.width = static_cast<int64_t>(width);
  t.height = static_cast<int64_t>(height);
  t.depth = static_cast<int64_t>(depth);
}

cudaError_t set_resource(emu::Texture& t, const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* a = r.res.array.array;
      if (!a) return cudaErrorInvalidValue;
      set_format(t, desc_of(*a));
      set_place(t, a->data, a->row_bytes(), a->width, a->rows(), a->planes());
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      if (!is_channel_format(r.res.linear.desc) || !is_device_range(r.res.linear.devPtr, r.res.linear.sizeInBytes)) return cudaErrorInvalidValue;
      set_format(t, r.res.linear.desc);
      set_place(t, r.res.linear.devPtr, r.res.linear.sizeInBytes, r.res.linear.sizeInBytes / t.element_bytes, 1, 1);
      t.is_linear_memory = true;
      return cudaSuccess;
    case cudaResourceTypePitch2D:
      if (!is_channel_format(r.res.pitch2D.desc) || r.res.pitch2D.height == 0) return cudaErrorInvalidValue;
      set_format(t, r.res.pitch2D.desc);
      if (r.res.pitch2D.pitchInBytes < r.res.pitch2D.width * t.element_bytes) return cudaErrorInvalidValue;
      if (!is_device_range(r.res.pitch2D.devPtr, r.res.pitch2D.pitchInBytes * (r.res.pitch2D.height - 1) + r.res.pitch2D.width * t.element_bytes))
        return cudaErrorInvalidValue;
      set_place(t, r.res.pitch2D.devPtr, r.res.pitch2D.pitchInBytes, r.res.pitch2D.width, r.res.pitch2D.height, 1);
      return cudaSuccess;
    default: return static_cast<cudaError_t>(emu_unsupported("textures of mipmapped arrays"));
  }
}

cudaError_t set_reading(emu::Texture& t, const cudaTextureDesc& how) {
  for (int i = 0; i < 3; ++i) t.address_mode[i] = how.addressMode[i];
  t.is_linear_filter = how.filterMode == cudaFilterModeLinear && !t.is_linear_memory;
  t.is_normalised_float = how.readMode == cudaReadModeNormalizedFloat && t.kind <= cudaChannelFormatKindUnsigned;
  t.has_normalised_coordinates = how.normalizedCoords != 0;
  memcpy(t.border, how.borderColor, sizeof t.border);
  bool is_integer = t.kind <= cudaChannelFormatKindUnsigned && !t.is_normalised_float;
  if (t.is_linear_filter && is_integer) return cudaErrorInvalidFilterSetting;
  if (t.is_normalised_float && t.bits[0] == 32) return cudaErrorInvalidNormSetting;
  if (how.sRGB) return static_cast<cudaError_t>(emu_unsupported("textures with sRGB conversion"));
  return cudaSuccess;
}

}  // namespace

extern "C" {
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, struct cudaExtent extent, unsigned flags) {
  if (!array || !desc || !is_channel_format(*desc) || extent.width == 0) return fail(cudaErrorInvalidValue);
  if (flags & cudaArrayCubemap) return static_cast<cudaError_t>(emu_unsupported("cube maps"));
  if (cudaError_t error = device_fault()) return error;
  cudaArray made{{desc->x, desc->y, desc->z, desc->w}, desc->f, extent.width, extent.height, extent.depth, flags, bytes_of(*desc), nullptr};
  made.data = static_cast<char*>(emu_malloc(made.row_bytes() * made.rows() * made.planes(), EMU_DEVICE));
  if (!made.data) return fail(cudaErrorMemoryAllocation);
  *array = new cudaArray(made);
  return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, size_t width, size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, desc, make_cudaExtent(width, height, 0), flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return cudaSuccess;
  emu::finish_all();
  emu_free(array->data);
  delete array;
  return device_fault();
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  if (!desc || !array) return fail(cudaErrorInvalidValue);
  *desc = desc_of(*array);
  return cudaSuccess;
}
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc* desc, struct cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  if (!array) return fail(cudaErrorInvalidValue);
  if (desc) *desc = desc_of(*array);
  if (extent) *extent = make_cudaExtent(array->width, array->height, array->depth);
  if (flags) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const struct cudaResourceDesc* resource, const struct cudaTextureDesc* how,
                                    const struct cudaResourceViewDesc* view) {
  if (!texture || !resource || !how) return fail(cudaErrorInvalidValue);
  if (view) return static_cast<cudaError_t>(emu_unsupported("texture objects with a resource view"));
  emu::Texture made{};
  cudaError_t error = set_resource(made, *resource);
  if (!error) error = set_reading(made, *how);
  if (error) return fail(error);
  *texture = emu::add_texture(made);
  if (!*texture) return fail(cudaErrorMemoryAllocation);
  Objects& known = objects();
  std::lock_guard<std::mutex> hold(known.mutex);
  known.by_handle[*texture] = {*resource, *how};
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  emu::finish_all();
  return emu::remove_texture(texture) || texture == 0 ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* resource, cudaTextureObject_t texture) {
  Objects& known = objects();
  std::lock_guard<std::mutex> hold(known.mutex);
  if (!resource || !emu::is_texture(texture)) return fail(cudaErrorInvalidValue);
  *resource = known.by_handle[texture].resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* how, cudaTextureObject_t texture) {
  Objects& known = objects();
  std::lock_guard<std::mutex> hold(known.mutex);
  if (!how || !emu::is_texture(texture)) return fail(cudaErrorInvalidValue);
  *how = known.by_handle[texture].how;
  return cudaSuccess;
}
}
