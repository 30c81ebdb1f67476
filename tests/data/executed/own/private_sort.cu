#include <cstdio>
__global__ void scatter_rows(const float *in, float *out, int n, int pitch) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i * pitch] = in[i]; }
__global__ void lookup(const int *table, int *out, int n, unsigned mask) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { unsigned h = i * 2654435761u; h ^= h >> 15; out[i] = table[h & mask]; } }
__global__ void median_of_many(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[3600];
    for (int k = 0; k < 3600; k++) v[k] = in[(i * 7 + k * 13) % n];
    for (int k = 1; k < 60; k++) for (int j = k; j > 0 && v[j] < v[j - 1]; j--) { float t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; }
    out[i] = v[30] + v[(int)v[3] % 3600];
}
int main() {
    int n = 1 << 13; float *a, *b; int *t, *o; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4 * 33); cudaMalloc(&t, 4 << 16); cudaMalloc(&o, n * 4); cudaMemset(a, 0, n * 4); cudaMemset(t, 0, 4 << 16);
    scatter_rows<<<n / 256, 256>>>(a, b, n, 33); lookup<<<n / 256, 256>>>(t, o, n, 65535); median_of_many<<<2, 128>>>(a, b, 256);
    float r; cudaMemcpy(&r, b, 4, cudaMemcpyDeviceToHost); printf("%g\n", r);
}
