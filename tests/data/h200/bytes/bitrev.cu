// bit reversal orderings and plain reversals
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned rev(unsigned v, int bits) { return __brev(v) >> (32 - bits); }

// in place, pairs are swapped by the lower index
__global__ void bitrev_inplace(float2 *z, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned j = rev(i, bits);
    if (j > i) {
        float2 a = z[i];
        float2 b = z[j];
        z[i] = b;
        z[j] = a;
    }
}

__global__ void bitrev_gather(const double *in, double *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >> bits) return;
    double v = in[rev(i, bits)];
    out[i] = v;
}

__global__ void bitrev_scatter(const uint8_t *in, uint8_t *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >> bits) return;
    uint8_t v = in[i];
    out[rev(i, bits)] = v;
}

template <class T>
__global__ void reverse_inplace(T *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        T lo = a[i];
        T hi = a[n - 1 - i];
        a[i] = hi;
        a[n - 1 - i] = lo;
    }
}

int main()
{
    const int bits = 16, n = 1 << bits;
    const int m = 70001;
    std::vector<float2> z(n);
    std::vector<double> x(n);
    std::vector<uint8_t> c(n);
    std::vector<short> s(m);
    for (int i = 0; i < n; ++i) {
        z[i].x = (float)i;
        z[i].y = (float)(i % 100);
        x[i] = i * 0.5;
        c[i] = (uint8_t)(i * 3 + (i >> 8));
    }
    for (int i = 0; i < m; ++i) s[i] = (short)(i * 5);

    float2 *dz;
    double *dx, *dx2;
    uint8_t *dc, *dc2;
    short *ds;
    cudaMalloc(&dz, n * sizeof(float2));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dx2, n * sizeof(double));
    cudaMalloc(&dc, n);
    cudaMalloc(&dc2, n);
    cudaMalloc(&ds, m * sizeof(short));
    cudaMemcpy(dz, z.data(), n * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(ds, s.data(), m * sizeof(short), cudaMemcpyHostToDevice);

    bitrev_inplace<<<n / 256, 256>>>(dz, bits);
    bitrev_gather<<<n / 128, 128>>>(dx, dx2, bits);
    bitrev_scatter<<<n / 256, 256>>>(dc, dc2, bits);
    reverse_inplace<short><<<(m / 2 + 255) / 256, 256>>>(ds, m);
    reverse_inplace<short><<<(m / 4 + 99) / 100, 100>>>(ds + 3, m / 2);
    reverse_inplace<uint8_t><<<(n / 2 + 255) / 256, 256>>>(dc2 + 1, n - 2);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }

    cudaMemcpy(z.data(), dz, n * sizeof(float2), cudaMemcpyDeviceToHost);
    cudaMemcpy(x.data(), dx2, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(c.data(), dc2, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(s.data(), ds, m * sizeof(short), cudaMemcpyDeviceToHost);
    double acc = 0;
    for (int i = 0; i < n; ++i) acc += (double)z[i].x * (i % 7) + z[i].y + x[i] * (i % 5) + c[i] * (i % 11);
    for (int i = 0; i < m; ++i) acc += (double)s[i] * (i % 13);
    printf("%.1f\n", acc);
    cudaFree(dz); cudaFree(dx); cudaFree(dx2); cudaFree(dc); cudaFree(dc2); cudaFree(ds);
}
