// Filters over an image: a bilateral filter, an erosion with clamped borders, a colour conversion and a histogram in shared memory.
#include <cstdio>
#include <cuda_runtime.h>
#define RADIUS 3

__device__ int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

__global__ void bilateral(const float *in, float *out, int w, int h, float range) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        float centre = in[y * w + x], sum = 0.f, weight = 0.f;
        for (int j = -RADIUS; j <= RADIUS; j++) {
            for (int i = -RADIUS; i <= RADIUS; i++) {
                float v = in[clampi(y + j, 0, h - 1) * w + clampi(x + i, 0, w - 1)];
                float d = (v - centre) / range;
                float k = expf(-0.5f * d * d - 0.05f * (i * i + j * j));
                sum += k * v;
                weight += k;
            }
        }
        out[y * w + x] = sum / weight;
    }
}

__global__ void erode(const unsigned char *in, unsigned char *out, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char m = 255;
    for (int j = -r; j <= r; j++)
        for (int i = -r; i <= r; i++) {
            int yy = y + j, xx = x + i;
            if (yy >= 0 && yy < h && xx >= 0 && xx < w) m = min(m, in[yy * w + xx]);
        }
    out[y * w + x] = m;
}

__global__ void rgb_to_hue(const uchar3 *in, float *hue, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = in[i].x / 255.0f, g = in[i].y / 255.0f, b = in[i].z / 255.0f;
    float hi = fmaxf(r, fmaxf(g, b)), lo = fminf(r, fminf(g, b)), c = hi - lo, v;
    if (c == 0) v = 0;
    else if (hi == r) v = fmodf((g - b) / c, 6.0f);
    else if (hi == g) v = (b - r) / c + 2.0f;
    else v = (r - g) / c + 4.0f;
    hue[i] = v * 60.0f;
}

__global__ void histogram(const unsigned char *in, unsigned *out, int n) {
    __shared__ unsigned bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (bins[b]) atomicAdd(&out[b], bins[b]);
}

int main() {
    const int w = 150, h = 90, n = w * h;
    unsigned char *hc = new unsigned char[3 * n];
    float *hf = new float[n];
    for (int i = 0; i < 3 * n; i++) hc[i] = (i * 2654435761u) >> 24;
    for (int i = 0; i < n; i++) hf[i] = hc[i] / 255.f;
    unsigned char *c, *o; float *f, *g; unsigned *bins;
    cudaMalloc(&c, 3 * n); cudaMalloc(&o, n); cudaMalloc(&f, n * 4); cudaMalloc(&g, n * 4); cudaMalloc(&bins, 1024);
    cudaMemcpy(c, hc, 3 * n, cudaMemcpyHostToDevice); cudaMemcpy(f, hf, n * 4, cudaMemcpyHostToDevice); cudaMemset(bins, 0, 1024);
    dim3 b(32, 4), g2((w + 31) / 32, (h + 3) / 4);
    bilateral<<<g2, b>>>(f, g, w, h, 0.2f);
    erode<<<g2, b>>>(c, o, w, h, 2);
    rgb_to_hue<<<(n + 127) / 128, 128>>>((const uchar3 *)c, g, n);
    histogram<<<8, 192>>>(c, bins, n);
    cudaMemcpy(hf, g, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", hf[100]);
    delete[] hc; delete[] hf;
    return 0;
}
