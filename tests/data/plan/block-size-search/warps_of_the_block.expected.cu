// kernel=unit_columns line=9 finding=KO112
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

template <typename Real>
__global__ void unit_columns(Real *m, int height, int width)
{
    int c = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    int l = threadIdx.x & (warpSize - 1);
    if (c < width) {
        Real *col = m + (size_t)c * height;
        Real q = 0;
        for (int r = l; r < height; r += warpSize) q += col[r] * col[r];
        for (int s = warpSize / 2; s > 0; s /= 2) q += __shfl_xor_sync(0xffffffffu, q, s);
        for (int r = l; r < height; r += warpSize) col[r] /= sqrtf(q);
    }
}

int main(void)
{
    int width = 2003, height = 70, bad = 0;
    size_t bytes = (size_t)width * height * sizeof(float);
    float *h = (float *)malloc(bytes), *d;
    for (int i = 0; i < width * height; i++) h[i] = (float)(i % 1013) - 300.f;
    cudaMalloc((void **)&d, bytes);
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    int blocks = (width + 7) / 8;
    unit_columns<float><<<blocks, 256>>>(d, height, width);
    cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
    for (int c = 0; c < width; c++) {
        float q = 0;
        for (int r = 0; r < height; r++) q += h[c * height + r] * h[c * height + r];
        bad += fabsf(q - 1.f) > 1e-4f;
    }
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
