// Texture objects (CUDA C++ Programming Guide, "Texture Memory", "Texture Fetching"): types, and fetches as calls into the core, which
// reads the texels itself. Fetches are not counted and not checked.
#pragma once
#include <type_traits>
#include "builtins.h"
#include "marks.h"
#include "runtime_types.h"

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

enum cudaTextureAddressMode { cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaResourceType { cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D = 3 };
enum cudaResourceViewFormat { cudaResViewFormatNone = 0 };
struct cudaResourceDesc {
  enum cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { cudaMipmappedArray_t mipmap; } mipmap;
    struct { void* devPtr; struct cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void* devPtr; struct cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
};
struct cudaResourceViewDesc {
  enum cudaResourceViewFormat format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaTextureDesc {
  enum cudaTextureAddressMode addressMode[3];
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, size_t width, size_t height, unsigned flags);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, struct cudaExtent extent, unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc* desc, struct cudaExtent* extent, unsigned* flags, cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc* desc, cudaArray_const_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const struct cudaResourceDesc* resource, const struct cudaTextureDesc* how, const struct cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* resource, cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* how, cudaTextureObject_t texture);
}
EMU_HOST inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width, size_t height = 0) { return ::cudaMallocArray(array, desc, width, height, 0); }
EMU_HOST inline cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent) { return ::cudaMalloc3DArray(array, desc, extent, 0); }
EMU_HOST inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) { return {x, y, z, w, kind}; }

// A texel's type: its components as CUDA's channel descriptions have them, and how they come out of a fetch.
template <class T> struct EmuTexelType;
EMU_INLINE unsigned emu_texel_word(EmuTexel texel, int i) { return (unsigned)((i < 2 ? texel.low : texel.high) >> (i % 2 * 32)); }
template <class C> EMU_INLINE C emu_as_component(unsigned word) {
  if constexpr (std::is_same<C, float>::value) return __builtin_bit_cast(float, word);
  else return (C)word;
}
#define EMU_TEXEL(i, C) emu_as_component<C>(emu_texel_word(texel, i))
#define EMU_TEXEL_TYPE(T, C, kind, y, z, w, ...)                                                                  \
  template <> struct EmuTexelType<T> {                                                                          \
    typedef T Type;                                                                                             \
    static EMU_INLINE Type of(EmuTexel texel) { return Type{__VA_ARGS__}; }                                     \
    EMU_HOST static cudaChannelFormatDesc desc() {                                                              \
      constexpr int bits = (int)sizeof(C) * 8;                                                                  \
      return {bits, y * bits, z * bits, w * bits, kind};                                                        \
    }                                                                                                           \
  };
#define EMU_TEXEL_TYPES(name, C, kind)                                                                            \
  EMU_TEXEL_TYPE(C, C, kind, 0, 0, 0, EMU_TEXEL(0, C))                                                           \
  EMU_TEXEL_TYPE(name##1, C, kind, 0, 0, 0, EMU_TEXEL(0, C))                                                     \
  EMU_TEXEL_TYPE(name##2, C, kind, 1, 0, 0, EMU_TEXEL(0, C), EMU_TEXEL(1, C))                                    \
  EMU_TEXEL_TYPE(name##4, C, kind, 1, 1, 1, EMU_TEXEL(0, C), EMU_TEXEL(1, C), EMU_TEXEL(2, C), EMU_TEXEL(3, C))
EMU_TEXEL_TYPES(char, signed char, cudaChannelFormatKindSigned)
EMU_TEXEL_TYPES(uchar, unsigned char, cudaChannelFormatKindUnsigned)
EMU_TEXEL_TYPES(short, short, cudaChannelFormatKindSigned)
EMU_TEXEL_TYPES(ushort, unsigned short, cudaChannelFormatKindUnsigned)
EMU_TEXEL_TYPES(int, int, cudaChannelFormatKindSigned)
EMU_TEXEL_TYPES(uint, unsigned int, cudaChannelFormatKindUnsigned)
EMU_TEXEL_TYPES(float, float, cudaChannelFormatKindFloat)
EMU_TEXEL_TYPE(char, char, cudaChannelFormatKindSigned, 0, 0, 0, EMU_TEXEL(0, char))

template <class T> EMU_HOST cudaChannelFormatDesc cudaCreateChannelDesc() { return EmuTexelType<T>::desc(); }
EMU_HOST inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }

#define EMU_TEXTURE_FETCH(name, parameters, kind, x, y, z, layer)                                                  \
  template <class T> EMU_INLINE T name(cudaTextureObject_t t, EMU_PARAMETERS parameters) {                        \
    return EmuTexelType<T>::of(emu_texture_fetch(t, kind, x, y, z, layer));                                       \
  }                                                                                                             \
  template <class T> EMU_INLINE void name(T* to, cudaTextureObject_t t, EMU_PARAMETERS parameters) {              \
    *to = EmuTexelType<T>::of(emu_texture_fetch(t, kind, x, y, z, layer));                                        \
  }
#define EMU_PARAMETERS(...) __VA_ARGS__
EMU_TEXTURE_FETCH(tex1Dfetch, (int i), EMU_TEXEL_OF_LINEAR, 0, 0, 0, i)
EMU_TEXTURE_FETCH(tex1D, (float x), EMU_TEXEL_1D, x, 0, 0, 0)
EMU_TEXTURE_FETCH(tex2D, (float x, float y), EMU_TEXEL_2D, x, y, 0, 0)
EMU_TEXTURE_FETCH(tex3D, (float x, float y, float z), EMU_TEXEL_3D, x, y, z, 0)
EMU_TEXTURE_FETCH(tex1DLayered, (float x, int layer), EMU_TEXEL_1D_LAYERED, x, 0, 0, layer)
EMU_TEXTURE_FETCH(tex2DLayered, (float x, float y, int layer), EMU_TEXEL_2D_LAYERED, x, y, 0, layer)
#undef EMU_TEXTURE_FETCH
#undef EMU_PARAMETERS
