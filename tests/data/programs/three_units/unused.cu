// nobody calls this any more, kept for the paper
#include "launchers.h"

__global__ void zero_all(float* p) { p[threadIdx.x] = 0.f; }

extern "C" void launch_never_used(float *out)
{
    zero_all<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}
