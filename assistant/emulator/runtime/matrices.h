// Products of matrices that a warp holds together (wmma, and mma.sync of doubles).
#pragma once
#include "abi.h"
#include "worker.h"

namespace emu {

// What one lane brings: its elements of each matrix.
struct MatrixOperands {
  void* d;
  const void *a, *b, *c;
  EmuMatrixShape shape;
  bool is_ptx;  // which lane holds which element is PTX's
};

// `operands[lane]`: of all 32 lanes, of one shape. Writes all elements of d.
void multiply(const MatrixOperands* const* operands);

}  // namespace emu
