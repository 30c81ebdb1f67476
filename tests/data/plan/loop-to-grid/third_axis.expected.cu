// kernel=patches line=23 finding=KO111
#include <cstdio>

__global__ void patches(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    if (x + 3 > w || y + 3 > h) return;
    // every shift of the patch
    for (int s = blockIdx.z; s < 9; s += gridDim.z) {
        out[(s * h + y) * w + x] = in[(y + s / 3) * w + x + s % 3] - in[y * w + x];
    }
}

int main() {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    patches<<<dim3(2, 2, 8), dim3(16, 8)>>>(d, o, 30, 10);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
