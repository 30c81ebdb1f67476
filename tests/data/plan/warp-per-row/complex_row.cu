// kernel=spectrum line=10 finding=KO101
#include <cstdio>
__global__ void spectrum(const float *a, float2 *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 total = make_float2(0.0f, 0.0f);
    for (int j = 0; j < m; j++) {
        float angle = 0.01f * j;
        total.x += a[i * m + j] * cosf(angle);
        total.y -= a[i * m + j] * sinf(angle);
    }
    out[i] = total;
}
int main() {
    float *a;
    float2 *o;
    cudaMallocManaged(&a, 4096 * 4);
    cudaMallocManaged(&o, 64 * 8);
    for (int i = 0; i < 4096; i++) a[i] = i % 13;
    spectrum<<<1, 64>>>(a, o, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", o[3].y);
}
