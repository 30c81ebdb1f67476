#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include "vec.h"

int main(int argc, char **argv)
{
    int n = count_from(argc, argv);
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (i % 7) * 0.5f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    run_square(in, out, n);
    printf("%.2f\n", reduce(out, n));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
