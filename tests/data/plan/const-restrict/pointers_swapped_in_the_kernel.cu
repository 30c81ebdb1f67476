// kernel=iterate line=7 finding=KO113
#include <cstdio>

__global__ void iterate(float *a, float *b, int steps) {
    int i = threadIdx.x;
    for (int s = 0; s < steps; ++s) {
        b[i] = a[(i + 1) % 32];
        float *swapped = a;
        a = b;
        b = swapped;
        __syncthreads();
    }
}

int main() {
    float *a, *b;
    cudaMallocManaged(&a, 32 * sizeof(float));
    cudaMallocManaged(&b, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) a[i] = i;
    iterate<<<1, 32>>>(a, b, 2);
    cudaDeviceSynchronize();
    return puts(a[0] == 2 ? "PASS" : "FAIL"), 0;
}
