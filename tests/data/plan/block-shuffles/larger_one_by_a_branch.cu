// kernel=peaks line=19 finding=KO115
#include <cuda_runtime.h>

__global__ void peaks(const float *signal, float *highs, float *lows, int rows, int length)
{
    int row = blockIdx.x;
    if (row >= rows) return;

    __shared__ float hi[128], lo[128];
    const int t = threadIdx.x;
    if (t < length) {
        hi[t] = signal[row * length + t];
        lo[t] = signal[row * length + t];
    } else {
        hi[t] = -1e30f;
        lo[t] = 1e30f;
    }
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) {
            if (hi[t + step] > hi[t])
                hi[t] = hi[t + step];
            if (lo[t] > lo[t + step]) lo[t] = lo[t + step];
        }
        __syncthreads();
    }
    if (t == 0 && highs != nullptr) {
        highs[row] = hi[0];
        lows[row] = lo[0];
    }
}

void run(const float *signal, float *highs, float *lows, int rows, int length)
{
    peaks<<<(rows + 7) / 8 * 8, 128>>>(signal, highs, lows, rows, length);
}
