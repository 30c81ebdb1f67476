// kernel=scale_columns line=10 finding=KO111
#include <cstdio>
#include <cstdlib>
__global__ void scale_columns(float *out, const float *in, const float *weight, int h, int w)
{
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    if (x >= w)
        return;
    float norm = 0.f;
    for (int y = 0; y <= h - 1; y++)
        norm += in[y * w + x] * in[y * w + x] * weight[y];
    norm = rsqrtf(norm + 1.0f);
    for (int y = 0; y < h; y++)
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
    scale_columns<<<(w + 31) / 32, 32>>>(out, in, weight, h, w);
    cudaDeviceSynchronize();
    float s = 0;
    for (int i = 0; i < h * w; i++) s += out[i] * (i % 3);
    printf("%.4f\n", s);
}
