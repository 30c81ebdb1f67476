// Warp matrix functions (CUDA C++ Programming Guide, "Warp Matrix Functions"). Which lane holds which element of a fragment is not specified:
// here element e of lane l is number 32 e + l of the matrix, row by row. The product is computed by the core.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision { struct tf32; }
enum layout_t { mem_row_major, mem_col_major };

template <class T> struct EmuElement;
#define EMU_FRAGMENT_ELEMENT(T, Stored, code) \
  template <> struct EmuElement<T> { typedef Stored type; static constexpr unsigned char number = code; };
EMU_FRAGMENT_ELEMENT(__half, __half, EMU_MATRIX_HALF)
EMU_FRAGMENT_ELEMENT(__nv_bfloat16, __nv_bfloat16, EMU_MATRIX_BFLOAT)
EMU_FRAGMENT_ELEMENT(float, float, EMU_MATRIX_FLOAT)
EMU_FRAGMENT_ELEMENT(precision::tf32, float, EMU_MATRIX_TF32)
EMU_FRAGMENT_ELEMENT(double, double, EMU_MATRIX_DOUBLE)
EMU_FRAGMENT_ELEMENT(signed char, signed char, EMU_MATRIX_INT8)
EMU_FRAGMENT_ELEMENT(unsigned char, unsigned char, EMU_MATRIX_UINT8)
EMU_FRAGMENT_ELEMENT(int, int, EMU_MATRIX_INT)
#undef EMU_FRAGMENT_ELEMENT

template <class Use, int m, int n, int k> struct EmuShape;
template <int m, int n, int k> struct EmuShape<matrix_a, m, n, k> { static constexpr int rows = m, columns = k; };
template <int m, int n, int k> struct EmuShape<matrix_b, m, n, k> { static constexpr int rows = k, columns = n; };
template <int m, int n, int k> struct EmuShape<accumulator, m, n, k> { static constexpr int rows = m, columns = n; };
constexpr bool emu_is_shape(int m, int n, int k) {
  return k == 16 ? m * n == 256 && (m == 8 || m == 16 || m == 32) : (m == 16 && n == 16 && k == 8) || (m == 8 && n == 8 && k == 4);
}

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
 public:
  static_assert(emu_is_shape(m, n, k), "no shape of wmma's");
  typedef EmuShape<Use, m, n, k> Shape;
  typedef typename EmuElement<T>::type element_type;
  typedef element_type storage_element_type;
  enum { num_elements = Shape::rows * Shape::columns / 32, num_storage_elements = num_elements };
  element_type x[num_elements];
};

template <class F, class E>
EMU_INLINE void emu_load_fragment(F& to, const E* from, unsigned stride, bool is_by_row) {
  for (int e = 0; e < F::num_elements; e++) {
    unsigned i = 32u * e + emu_lane_index(), row = i / F::Shape::columns, column = i % F::Shape::columns;
    to.x[e] = from[is_by_row ? row * stride + column : column * stride + row];
  }
}

template <class Use, int m, int n, int k, class T, class Layout>
EMU_INLINE void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const typename EmuElement<T>::type& value) {
  emu_wmma_offer();
  for (int e = 0; e < f.num_elements; e++) f.x[e] = value;
}
template <class Use, int m, int n, int k, class T, class Layout>
EMU_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const typename EmuElement<T>::type* from, unsigned stride) {
  emu_wmma_offer();
  emu_syncwarp(0xffffffffu);
  emu_load_fragment(f, from, stride, std::is_same<Layout, row_major>::value);
}
template <int m, int n, int k, class T>
EMU_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const typename EmuElement<T>::type* from, unsigned stride, layout_t layout) {
  emu_wmma_offer();
  emu_syncwarp(0xffffffffu);
  emu_load_fragment(f, from, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T>
EMU_INLINE void store_matrix_sync(typename EmuElement<T>::type* to, const fragment<accumulator, m, n, k, T>& f, unsigned stride, layout_t layout) {
  emu_wmma_offer();
  emu_syncwarp(0xffffffffu);
  for (int e = 0; e < f.num_elements; e++) {
    unsigned i = 32u * e + emu_lane_index(), row = i / n, column = i % n;
    to[layout == mem_row_major ? row * stride + column : column * stride + row] = f.x[e];
  }
}
template <int m, int n, int k, class A, class LayoutA, class B, class LayoutB, class C, class D>
EMU_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, A, LayoutA>& a, const fragment<matrix_b, m, n, k, B, LayoutB>& b,
                         const fragment<accumulator, m, n, k, C>& c, bool = false) {
  emu_wmma_multiply(d.x, a.x, b.x, c.x, EmuMatrixShape{m, n, k, EmuElement<D>::number, EmuElement<A>::number, EmuElement<B>::number, EmuElement<C>::number});
}
EMU_INLINE float __float_to_tf32(float x) { return emu_from_bits<float>((emu_to_bits(x) + 0x1000u) & 0xffffe000u); }

}  // namespace wmma
}  // namespace nvcuda
