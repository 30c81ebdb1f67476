// Kernels that a replay can start by name.
#pragma once
#include <vector>

#include "abi.h"

namespace emu {
const std::vector<EmuKernel*>& kernels();
}
