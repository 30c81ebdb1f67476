#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CUDA_OK(e) check((e), __LINE__)
static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
}

// y[i] = x[off + i * IS],   i < count
template <typename T, int IS>
__global__ void gather(const T *x, T *y, int off, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        T v = x[off + i * IS];
        y[i] = v;
    }
}

// y[i * OS] = x[i / 2]: two lanes read one element, the stores are spread
template <typename T, int OS>
__global__ void spread_pairs(const T *__restrict__ x, T *__restrict__ y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    T v = x[i >> 1];
    y[i * OS] = v;
}

// reversed lanes inside each warp, only lanes 5..28 take part
__global__ void ragged_reversed(const long long *x, long long *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int j = i - lane + (31 - lane);
    if (lane < 5 || lane > 28 || i >= count || j >= count) return;
    long long v = x[j];
    y[i] = v + 1;
}

template <typename T>
struct Buf {
    T *d;
    size_t bytes;
    explicit Buf(size_t n, unsigned seed) : bytes(n * sizeof(T))
    {
        unsigned char *h = (unsigned char *)malloc(bytes);
        for (size_t i = 0; i < bytes; i++) {
            seed = seed * 1664525u + 1013904223u;
            h[i] = (seed >> 26);                 // small, so no NaN patterns
        }
        CUDA_OK(cudaMalloc(&d, bytes));
        CUDA_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
        free(h);
    }
    unsigned long long finish()
    {
        unsigned char *h = (unsigned char *)malloc(bytes);
        CUDA_OK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
        unsigned long long s = bytes;
        for (size_t i = 0; i < bytes; i++) s = s * 257 + h[i];
        free(h);
        CUDA_OK(cudaFree(d));
        return s;
    }
};

int main()
{
    unsigned long long total = 0;
    const int n = 50000;
    {
        Buf<unsigned char> x(n * 3 + 1, 1), y(n, 2);
        gather<unsigned char, 3><<<(n + 255) / 256, 256>>>(x.d, y.d, 1, n);
        total ^= y.finish(); total += x.finish();
    }
    {
        Buf<short> x(n * 33 + 2, 3), y(n, 4);
        gather<short, 33><<<(n + 127) / 128, 128>>>(x.d, y.d, 2, n);
        total ^= y.finish(); total += x.finish();
    }
    {
        Buf<float4> x(n * 2 + 1, 5), y(n, 6);
        gather<float4, 2><<<(n + 255) / 256, 256>>>(x.d, y.d, 1, n);
        total ^= y.finish(); total += x.finish();
    }
    {
        Buf<double> x(n, 7), y(n * 5, 8);
        spread_pairs<double, 5><<<(n + 255) / 256, 256>>>(x.d, y.d, n);
        total ^= y.finish(); total += x.finish();
    }
    {
        Buf<unsigned char> x(n, 9), y(n * 7, 10);
        spread_pairs<unsigned char, 7><<<(n + 63) / 64, 64>>>(x.d, y.d, n);
        total ^= y.finish(); total += x.finish();
    }
    {
        Buf<long long> x(n, 11), y(n, 12);
        ragged_reversed<<<(n + 95) / 96, 96>>>(x.d, y.d, n);
        total ^= y.finish(); total += x.finish();
    }
    CUDA_OK(cudaGetLastError());
    printf("strides: %llx\n", total);
    return 0;
}
