// kernel=add line=6 finding=KO113
#include <cstdio>

__global__ void add(float *out, const float *a, const float *b, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

int main() {
    float *x, *y;
    cudaMallocManaged(&x, 32 * sizeof(float));
    cudaMallocManaged(&y, 32 * sizeof(float));
    for (int i = 0; i < 32; ++i) x[i] = y[i] = 1;
    add<<<1, 32>>>(x, x, y, 32);
    cudaDeviceSynchronize();
    return puts(x[5] == 2 ? "PASS" : "FAIL"), 0;
}
