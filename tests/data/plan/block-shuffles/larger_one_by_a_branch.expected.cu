// kernel=peaks line=19 finding=KO115
#include <cuda_runtime.h>

__global__ void peaks(const float *signal, float *highs, float *lows, int rows, int length)
{
    int row = blockIdx.x;
    if (row >= rows) return;

    __shared__ float hi[4], lo[4];
    const int t = threadIdx.x;
    float thread_hi = t < length ? signal[row * length + t] : -1e30f;
    float thread_lo = t < length ? signal[row * length + t] : 1e30f;
    for (int offset = 16; offset > 0; offset /= 2) {
        thread_hi = fmaxf(thread_hi, __shfl_down_sync(0xffffffff, thread_hi, offset));
        thread_lo = fminf(thread_lo, __shfl_down_sync(0xffffffff, thread_lo, offset));
    }
    if (t % 32 == 0) {
        hi[t / 32] = thread_hi;
        lo[t / 32] = thread_lo;
    }
    __syncthreads();
    if (t == 0 && highs != nullptr) {
        for (int warp = 1; warp < 4; warp++) {
            thread_hi = fmaxf(thread_hi, hi[warp]);
            thread_lo = fminf(thread_lo, lo[warp]);
        }
        highs[row] = thread_hi;
        lows[row] = thread_lo;
    }
}

void run(const float *signal, float *highs, float *lows, int rows, int length)
{
    peaks<<<(rows + 7) / 8 * 8, 128>>>(signal, highs, lows, rows, length);
}
