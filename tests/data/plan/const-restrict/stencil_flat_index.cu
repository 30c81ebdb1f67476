// kernel=stencil line=10 finding=KO113
#include <cstdio>
#include <cstdlib>

// next = weighted sum of prev; n, alpha by value
__global__ void stencil(float *next, float *prev, float *weight, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        next[i] = weight[0] * prev[i - 1];
        next[i] += weight[1] * prev[i];
        next[i] += weight[0] * prev[i + 1];
    }
}

int main() {
    const int n = 300;
    float *prev, *next, *weight;
    cudaMallocManaged(&prev, n * sizeof(float));
    cudaMallocManaged(&next, n * sizeof(float));
    cudaMallocManaged(&weight, 2 * sizeof(float));
    for (int i = 0; i < n; ++i) prev[i] = 4.0f;
    weight[0] = 0.25f;
    weight[1] = 0.5f;
    stencil<<<(n + 127) / 128, 128>>>(next, prev, weight, n);
    cudaDeviceSynchronize();
    for (int i = 1; i < n - 1; ++i)
        if (next[i] != 4.0f) {
            puts("FAIL");
            return EXIT_FAILURE;
        }
    puts("PASS");
    return EXIT_SUCCESS;
}
