#include <cstdio>
#include <cmath>
__global__ void powers(const float *a, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = 0;
    for (int k = 0; k <= 4; k++) s += pow((double)a[i], (double)k);
    out[i] = s;
}
__global__ void small(const float *a, float *out, int n, float p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = powf(a[i], p) + expf(a[i]) + tanhf(a[i]);
}
int main() {
    int n = 1 << 16; float *a; double *o; float *f;
    cudaMallocManaged(&a, n * 4); cudaMallocManaged(&o, n * 8); cudaMallocManaged(&f, n * 4);
    for (int i = 0; i < n; i++) a[i] = 0.001f * i;
    powers<<<n / 256, 256>>>(a, o, n);
    small<<<n / 256, 256>>>(a, f, n, 1.7f);
    cudaDeviceSynchronize();
    printf("%g %g\n", o[5], f[7]);
}
