// Stands in for the headers of PyTorch and pybind11 in extensions that run on the emulator.
#ifndef KERNELOPT_TORCH_H
#define KERNELOPT_TORCH_H
#include "kernelopt/indexing.h"
#include "kernelopt/macros.h"

#endif
