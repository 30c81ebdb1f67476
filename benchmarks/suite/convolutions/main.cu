#include "conv.h"
#include "util.h"

static float *filled(size_t count)
{
    float *values = (float *)malloc(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((i * 97) % 1009) / 1009.0f;
    return values;
}

static double run(void (*convolve)(const float *, float *, int), size_t count, int n)
{
    float *values = filled(count);
    float *in, *out;
    CUDA_SAFE(cudaMalloc(&in, count * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&out, count * sizeof(float)));
    CUDA_SAFE(cudaMemcpy(in, values, count * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemset(out, 0, count * sizeof(float)));
    convolve(in, out, n);
    CUDA_SAFE(cudaMemcpy(values, out, count * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    CUDA_SAFE(cudaFree(in));
    CUDA_SAFE(cudaFree(out));
    free(values);
    return sum;
}

int main(int argc, char **argv)
{
    int n2 = argc > 1 ? atoi(argv[1]) : 128;
    int n3 = argc > 2 ? atoi(argv[2]) : 24;

    float w2[9], w3[27];
    for (int i = 0; i < 9; i++)
        w2[i] = 0.1f * (i - 3);
    for (int i = 0; i < 27; i++)
        w3[i] = 0.05f * ((i * 5) % 27 - 11);
    set_weights_2d(w2);
    set_weights_3d(w3);

    double flat = run(convolve_2d, (size_t)n2 * n2, n2);
    double solid = run(convolve_3d, (size_t)n3 * n3 * n3, n3);
    printf("2D sum %.4f, 3D sum %.4f\n", flat, solid);
    return 0;
}
