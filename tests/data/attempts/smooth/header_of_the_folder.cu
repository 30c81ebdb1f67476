// hope: a header next to the file is the runtime's
#include <cstdio>
#include "cuda_runtime.h"
__global__ void smooth(const float* in, float* out, int n) {}
