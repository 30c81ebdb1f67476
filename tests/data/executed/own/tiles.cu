#include <cstdio>
#include <cstdlib>
// C = A^T * B, tiles that one block stages with loops over its threads
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[8][36], bs[8][16];
    const int t = threadIdx.y * 16 + threadIdx.x;
    float sum[4] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int e = t; e < 8 * 32; e += 128) {
            const int k = k0 + e / 32, col = blockIdx.y * 32 + e % 32;
            as[e / 32][e % 32] = k < n && col < n ? a[k * n + col] : 0.0f;
        }
        for (int e = t; e < 8 * 16; e += 128) {
            const int k = k0 + e / 16, col = blockIdx.x * 16 + e % 16;
            bs[e / 16][e % 16] = k < n && col < n ? b[k * n + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 8; ++p)
#pragma unroll
            for (int i = 0; i < 4; ++i) sum[i] += as[p][threadIdx.y * 4 + i] * bs[p][threadIdx.x];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) c[(blockIdx.y * 32 + threadIdx.y * 4 + i) * n + blockIdx.x * 16 + threadIdx.x] = sum[i];
}
// each thread keeps the eight largest of its part in an array
__global__ void best8(const float *a, float *out, int n, int per) {
    float best[8]; int used = 0;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * per; i < n && i < (t + 1) * per; i++) {
        float v = a[i];
        if (used < 8 || v > best[used - 1]) {
            int at = used < 8 ? used++ : 7;
            while (at > 0 && best[at - 1] < v) { best[at] = best[at - 1]; at--; }
            best[at] = v;
        }
    }
    for (int k = 0; k < 8; k++) out[t * 8 + k] = k < used ? best[k] : 0;
}
int main() {
    int n = 128; float *a, *b, *c, *o;
    cudaMallocManaged(&a, 1 << 18); cudaMallocManaged(&b, n * n * 4); cudaMallocManaged(&c, n * n * 4); cudaMallocManaged(&o, 256 * 8 * 4);
    for (int i = 0; i < 1 << 16; i++) a[i] = rand() % 10000; for (int i = 0; i < n * n; i++) b[i] = i % 13;
    product<<<dim3(n / 16, n / 32), dim3(16, 8)>>>(a, b, c, n);
    best8<<<2, 128>>>(a, o, 1 << 16, 256);
    cudaDeviceSynchronize();
    printf("%g %g\n", c[5], o[9]);
}
