// kernel=correlation line=20 finding=KO108
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* correlations of standardized variables: x is samples x vars, r is symmetric with ones on its diagonal */
__global__ void correlation(const float *x, float *r, int samples, int vars)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;

    if (a >= vars)
        return;
    if (b == 0)
        r[a * vars + a] = 1.0f;
    if (b > a && b < vars)
    {
        float sum = 0.0f;
        for (int s = 0; s < samples; s++)
            sum += x[s * vars + a] * x[s * vars + b];
        r[a * vars + b] = sum;
        r[b * vars + a] = sum;
    }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 90, vars = argc > 2 ? atoi(argv[2]) : 75;
    size_t in = (size_t)samples * vars * sizeof(float), out = (size_t)vars * vars * sizeof(float);
    float *x = (float *)malloc(in), *r = (float *)malloc(out), *dx, *dr;
    for (int i = 0; i < samples * vars; i++)
        x[i] = sinf(i * 0.37f) / samples;
    if (cudaMalloc(&dx, in) != cudaSuccess || cudaMalloc(&dr, out) != cudaSuccess)
        return 1;
    cudaMemcpy(dx, x, in, cudaMemcpyHostToDevice);
    dim3 threads(16, 16), blocks((vars + 15) / 16, (vars + 15) / 16);
    correlation<<<blocks, threads>>>(dx, dr, samples, vars);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpy(r, dr, out, cudaMemcpyDeviceToHost);
    double total = 0;
    for (int i = 0; i < vars * vars; i++)
        total += r[i];
    printf("%.6f\n", total);
    cudaFree(dx);
    cudaFree(dr);
    free(x);
    free(r);
    return 0;
}
