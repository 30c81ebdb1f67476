// kernel=energy line=20 finding=KO115
#include <cuda_runtime.h>

template <int N>
__global__ void energy(const double *wave, double *out, int n)
{
    __shared__ double cache[N / 32];
    int index = blockIdx.x * N + threadIdx.x, place = threadIdx.x;
    double part = 0.0;
    while (index < n) {
        part += wave[index] * wave[index];
        index += N * gridDim.x;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        part += __shfl_down_sync(0xffffffff, part, offset);
    if (place % 32 == 0)
        cache[place / 32] = part;
    __syncthreads();
    if (place == 0) {
        for (int warp = 1; warp < N / 32; warp++)
            part += cache[warp];
        atomicAdd(out, part);
    }
}

void run(const double *wave, double *out, int n)
{
    energy<64><<<264, 64>>>(wave, out, n);
}
