// kernel=energy line=20 finding=KO115
#include <cuda_runtime.h>

template <int N>
__global__ void energy(const double *wave, double *out, int n)
{
    __shared__ double cache[N];
    int index = blockIdx.x * N + threadIdx.x, place = threadIdx.x;
    double part = 0.0;
    while (index < n) {
        part += wave[index] * wave[index];
        index += N * gridDim.x;
    }
    cache[place] = part;
    int step = N / 2;
    __syncthreads();
    while (step != 0) {
        if (place < step)
            cache[place] += cache[place + step];
        __syncthreads();
        step /= 2;
    }
    if (place == 0)
        atomicAdd(out, cache[0]);
}

void run(const double *wave, double *out, int n)
{
    energy<64><<<264, 64>>>(wave, out, n);
}
