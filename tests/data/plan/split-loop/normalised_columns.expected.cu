// kernel=scale_columns line=10 finding=KO111
#include <cstdio>
#include <cstdlib>
__global__ void scale_columns(float *out, const float *in, const float *weight, int h, int w)
{
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    float norm = 0.f;
    if (x < w)
        for (int y = threadIdx.y; y <= h - 1; y += 16)
            norm += in[y * w + x] * in[y * w + x] * weight[y];
    __shared__ float norm_parts[16][32];
    norm_parts[threadIdx.y][threadIdx.x] = norm;
    __syncthreads();
    norm = norm_parts[0][threadIdx.x];
    for (int part = 1; part < 16; part++) norm += norm_parts[part][threadIdx.x];
    norm = rsqrtf(norm + 1.0f);
    if (x < w)
        for (int y = threadIdx.y; y < h; y += 16)
            out[y * w + x] = in[y * w + x] * norm;
}
int main(int argc, char **argv)
{
    int h = 120, w = argc > 1 ? atoi(argv[1]) : 96;
    float *in, *out, *weight;
    cudaMallocManaged(&in, h * w * sizeof(float));
    cudaMallocManaged(&out, h * w * sizeof(float));
    cudaMallocManaged(&weight, h * sizeof(float));
    for (int i = 0; i < h * w; i++) in[i] = (i % 19) / 19.0f;
    for (int i = 0; i < h; i++) weight[i] = 1 + i % 2;
    scale_columns<<<(w + 31) / 32, dim3(32, 16)>>>(out, in, weight, h, w);
    cudaDeviceSynchronize();
    float s = 0;
    for (int i = 0; i < h * w; i++) s += out[i] * (i % 3);
    printf("%.4f\n", s);
}
