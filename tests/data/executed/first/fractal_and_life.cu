// Escape times, a game of life on a torus, and n-body forces with a branch.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void mandel(int *it, int w, int h, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = 3.0f * x / w - 2.0f, ci = 2.0f * y / h - 1.0f, zr = 0, zi = 0;
    int n = 0;
    while (zr * zr + zi * zi < 4.0f && n < most) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        ++n;
    }
    it[y * w + x] = n;
}

__global__ void life(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) sum += in[((y + dy + h) % h) * w + (x + dx + w) % w];
    out[y * w + x] = sum == 3 || (sum == 2 && in[y * w + x]);
}

__global__ void forces(const float4 *p, float3 *f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = p[i];
    float3 acc = make_float3(0, 0, 0);
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        float dx = p[j].x - me.x, dy = p[j].y - me.y, dz = p[j].z - me.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < 0.5f) {
            float inv = rsqrtf(r2 + 1e-6f);
            float s = p[j].w * inv * inv * inv;
            acc.x += dx * s; acc.y += dy * s; acc.z += dz * s;
        }
    }
    f[i] = acc;
}

int main() {
    const int w = 160, h = 120, n = 300;
    int *it; unsigned char *a, *b; float4 *p; float3 *f;
    unsigned char *hc = new unsigned char[w * h];
    float4 hp[n];
    for (int i = 0; i < w * h; i++) hc[i] = (i * 2654435761u >> 20) & 1;
    for (int i = 0; i < n; i++) hp[i] = make_float4((i * 37 % 101) / 101.f, (i * 53 % 103) / 103.f, (i * 71 % 107) / 107.f, 1.f);
    cudaMalloc(&it, w * h * 4); cudaMalloc(&a, w * h); cudaMalloc(&b, w * h); cudaMalloc(&p, sizeof(hp)); cudaMalloc(&f, n * sizeof(float3));
    cudaMemcpy(a, hc, w * h, cudaMemcpyHostToDevice);
    cudaMemcpy(p, hp, sizeof(hp), cudaMemcpyHostToDevice);
    dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8);
    mandel<<<grid, block>>>(it, w, h, 100);
    life<<<grid, block>>>(a, b, w, h);
    forces<<<(n + 63) / 64, 64>>>(p, f, n);
    cudaMemcpy(hc, b, w * h, cudaMemcpyDeviceToHost);
    printf("%d\n", hc[5]);
    delete[] hc;
    return 0;
}
