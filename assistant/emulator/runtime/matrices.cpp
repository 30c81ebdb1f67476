// Element e of lane l is number 32 e + l of its matrix, row by row (include/mma.h). Products are exact in the accumulator's type or rounded
// to it once; sums are taken in order of k, which a GPU does not promise.
#include "matrices.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "faults.h"
#include "small_floats.h"

namespace emu {
namespace {

constexpr uint32_t TF32_BITS = 0xffffe000u;  // of a float that tensor cores look at

double read(const void* elements, unsigned index, unsigned char type) {
  switch (type) {
    case EMU_MATRIX_HALF: return half_to_float(static_cast<const uint16_t*>(elements)[index]);
    case EMU_MATRIX_BFLOAT: return bfloat_to_float(static_cast<const uint16_t*>(elements)[index]);
    case EMU_MATRIX_FLOAT: return static_cast<const float*>(elements)[index];
    case EMU_MATRIX_TF32: return bits_as<float>(static_cast<const uint32_t*>(elements)[index] & TF32_BITS);
    case EMU_MATRIX_DOUBLE: return static_cast<const double*>(elements)[index];
    case EMU_MATRIX_INT8: return static_cast<const signed char*>(elements)[index];
    case EMU_MATRIX_UINT8: return static_cast<const unsigned char*>(elements)[index];
    default: return static_cast<const int*>(elements)[index];
  }
}

void write(void* elements, unsigned index, unsigned char type, double value) {
  switch (type) {
    case EMU_MATRIX_HALF: static_cast<uint16_t*>(elements)[index] = float_to_half(static_cast<float>(value)); break;
    case EMU_MATRIX_FLOAT: static_cast<float*>(elements)[index] = static_cast<float>(value); break;
    case EMU_MATRIX_DOUBLE: static_cast<double*>(elements)[index] = value; break;
    default: static_cast<int*>(elements)[index] = static_cast<int>(static_cast<int64_t>(value)); break;  // wraps
  }
}

using Matrix = std::vector<double>;

template <class F>
Matrix gather(const MatrixOperands* const* operands, unsigned count, unsigned char type, F elements_of) {
  Matrix matrix(count);
  for (unsigned i = 0; i < count; ++i) matrix[i] = read(elements_of(*operands[i % WARP_LANES]), i / WARP_LANES, type);
  return matrix;
}

// One element's sum, in the precision that the accumulator has.
double sum(const double* a, const double* b, unsigned b_stride, unsigned k, double start, bool is_float) {
  double total = start;
  for (unsigned i = 0; i < k; ++i) {
    total += a[i] * b[i * b_stride];
    if (is_float) total = static_cast<float>(total);
  }
  return total;
}

// Lane l has of a row l / 4 and column l % 4, of b row l % 4 and column l / 4, of c row l / 4 and columns l % 4 * 2 and the next; more of
// its elements are those 8 rows further down.
void multiply_doubles(const MatrixOperands* const* operands, unsigned rows) {
  for (unsigned lane = 0; lane < WARP_LANES; ++lane)
    for (unsigned e = 0; e < rows / 4; ++e) {
      double& total = static_cast<double*>(operands[lane]->d)[e];
      for (unsigned k = 0; k < 4; ++k) {
        const double a = static_cast<const double*>(operands[lane / 4 * 4 + k]->a)[e / 2];
        const double b = *static_cast<const double*>(operands[(lane % 4 * 2 + e % 2) * 4 + k]->b);
        total = std::fma(a, b, total);
      }
    }
}

}  // namespace

void multiply(const MatrixOperands* const* operands) {
  const EmuMatrixShape s = operands[0]->shape;
  if (operands[0]->is_ptx) return multiply_doubles(operands, s.m);
  Matrix a = gather(operands, s.m * s.k, s.a, [](const MatrixOperands& o) { return o.a; });
  Matrix b = gather(operands, s.k * s.n, s.b, [](const MatrixOperands& o) { return o.b; });
  Matrix c = gather(operands, s.m * s.n, s.c, [](const MatrixOperands& o) { return o.c; });
  const bool is_float = s.a != EMU_MATRIX_DOUBLE && s.a != EMU_MATRIX_INT8 && s.a != EMU_MATRIX_UINT8;
  for (unsigned i = 0; i < unsigned{s.m} * s.n; ++i)
    write(operands[i % WARP_LANES]->d, i / WARP_LANES, s.d, sum(&a[i / s.n * s.k], &b[i % s.n], s.n, s.k, c[i], is_float));
}

}  // namespace emu

using namespace emu;

extern "C" void emu_wmma_offer() {
  if (!on_device()) return;
  note_beyond_counters("tensor cores (wmma)");
}
