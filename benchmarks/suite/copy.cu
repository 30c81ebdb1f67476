// STREAM-like copy, 16 bytes a thread.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK_CUDA(call)                                                         \
    do {                                                                         \
        cudaError_t status_ = call;                                              \
        if (status_ != cudaSuccess) {                                            \
            fprintf(stderr, "%s at %d\n", cudaGetErrorString(status_), __LINE__); \
            exit(EXIT_FAILURE);                                                  \
        }                                                                        \
    } while (0)

__global__ void copy_vec4(const float4 *__restrict__ src, float4 *__restrict__ dst, size_t n4)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n4)
        dst[i] = src[i];
}

__global__ void copy_tail(const float *__restrict__ src, float *__restrict__ dst, size_t begin, size_t n)
{
    size_t i = begin + threadIdx.x;
    if (i < n)
        dst[i] = src[i];
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 200003;
    size_t n4 = n / 4;

    std::vector<float> a(n), b(n);
    for (size_t i = 0; i < n; i++)
        a[i] = (float)((i * 2654435761u) % 1000003);

    float *d_a, *d_b;
    CHECK_CUDA(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_b, n * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    if (n4 > 0) {
        copy_vec4<<<(unsigned)((n4 + 255) / 256), 256>>>((const float4 *)d_a, (float4 *)d_b, n4);
        CHECK_CUDA(cudaGetLastError());
    }
    if (n % 4) {
        copy_tail<<<1, 32>>>(d_a, d_b, n4 * 4, n);
        CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaMemcpy(b.data(), d_b, n * sizeof(float), cudaMemcpyDeviceToHost));

    printf("%s, b[n-1] = %.1f\n", memcmp(a.data(), b.data(), n * sizeof(float)) == 0 ? "identical" : "DIFFERENT", b[n - 1]);
    CHECK_CUDA(cudaFree(d_a));
    CHECK_CUDA(cudaFree(d_b));
    return 0;
}
