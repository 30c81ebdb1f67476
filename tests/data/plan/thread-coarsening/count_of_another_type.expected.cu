// kernel=gather line=12 finding=KO108
#include <cuda_runtime.h>

__global__ void gather(const float *x, const int *list, const float *w, float *y, long length, long batches, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int first_b = blockIdx.y * 4;
    int b[4];
    #pragma unroll
    for (int r = 0; r < 4; r++)
        b[r] = min(first_b + r, (int)batches - 1);
    if (i < n) {
        float acc[4] = {};
        long k = 0;
        while (k < length) {
            #pragma unroll
            for (int r = 0; r < 4; r++)
                acc[r] += x[list[i * length + k]] * w[b[r] * length + k];
            k++;
        }
        #pragma unroll
        for (int r = 0; r < 4; r++)
            y[b[r] * n + i] = acc[r];
    }
}

void run(const float *x, const int *list, const float *w, float *y, long length, long batches, int n)
{
    gather<<<dim3((n + 63) / 64, (batches + 3) / 4), 64>>>(x, list, w, y, length, batches, n);
}
