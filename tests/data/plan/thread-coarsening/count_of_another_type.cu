// kernel=gather line=12 finding=KO108
#include <cuda_runtime.h>

__global__ void gather(const float *x, const int *list, const float *w, float *y, long length, long batches, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (i < n) {
        float acc = 0.f;
        long k = 0;
        while (k < length) {
            acc += x[list[i * length + k]] * w[b * length + k];
            k++;
        }
        y[b * n + i] = acc;
    }
}

void run(const float *x, const int *list, const float *w, float *y, long length, long batches, int n)
{
    gather<<<dim3((n + 63) / 64, batches), 64>>>(x, list, w, y, length, batches, n);
}
