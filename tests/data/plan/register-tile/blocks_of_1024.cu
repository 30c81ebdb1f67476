// kernel=scatter line=19 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                              \
    do {                                                         \
        cudaError_t err_ = (call);                               \
        if (err_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(err_)); exit(1); } \
    } while (0)

// scatter matrix of the columns of x: upper half, mirrored
__global__ void scatter(const double *x, double *s, int samples, int features)
{
    int p = blockIdx.y * blockDim.y + threadIdx.y, q = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= features || q >= features || q < p)
        return;
    double acc = 0.0;
    for (int k = 0; k < samples; k++) acc += x[k * features + p] * x[k * features + q];
    s[p * features + q] = acc;
    s[q * features + p] = acc;
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 70, features = argc > 2 ? atoi(argv[2]) : 600;
    double *x, *s;
    CHECK(cudaMallocManaged(&x, samples * features * sizeof(double)));
    CHECK(cudaMallocManaged(&s, features * features * sizeof(double)));
    for (int i = 0; i < samples * features; i++) x[i] = (i * 7 % 31) / 31.0;
    dim3 threads(32, 32);
    dim3 blocks((features + threads.x - 1) / threads.x, (features + threads.y - 1) / threads.y);
    scatter<<<blocks, threads>>>(x, s, samples, features);
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    for (int i = 0; i < features * features; i++) sum += s[i];
    printf("%.6f\n", sum);
    return 0;
}
