// Walsh spectrum of a boolean function of `bits` variables, and its nonlinearity
// (how good is my S-box component?). Butterfly per thread, one launch per level.
#include <iostream>
#include <vector>
#include <string>
#include <cstdint>

static void ok(cudaError_t e, const char* what)
{
    if (e == cudaSuccess) return;
    std::cerr << what << " failed: " << cudaGetErrorString(e) << std::endl;
    exit(1);
}

template <typename T>
__global__ void butterfly(T* w, unsigned half, unsigned pairs)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned i = (p / half) * (2 * half) + p % half;
    T a = w[i];
    T b = w[i + half];
    w[i] = a + b;
    w[i + half] = a - b;
}

template <typename T>
__global__ void largest(const T* w, unsigned n, T* result)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        T v = w[i] < 0 ? -w[i] : w[i];
        atomicMax(result, v);
    }
}

// the function under test: bit of a mixed-up product
static int f(uint32_t x)
{
    x ^= x >> 7;
    x *= 0x9E3779B1u;
    x ^= x >> 15;
    x *= 0x85EBCA77u;
    return (x >> 31) & 1;
}

int main(int argc, char** argv)
{
    int bits = argc > 1 ? std::stoi(argv[1]) : 16;
    if (bits < 2 || bits > 28) { std::cerr << "2 to 28 variables\n"; return 1; }
    unsigned n = 1u << bits;

    std::vector<int> w(n);
    for (unsigned x = 0; x < n; x++) w[x] = f(x) ? -1 : 1;

    int *dw, *dmax;
    ok(cudaMalloc(&dw, n * sizeof(int)), "malloc");
    ok(cudaMalloc(&dmax, sizeof(int)), "malloc");
    ok(cudaMemcpy(dw, w.data(), n * sizeof(int), cudaMemcpyHostToDevice), "copy");
    ok(cudaMemset(dmax, 0, sizeof(int)), "memset");

    const int block = 256;
    unsigned pairs = n / 2;
    for (unsigned half = 1; half < n; half *= 2) {
        butterfly<int><<<(pairs + block - 1) / block, block>>>(dw, half, pairs);
        ok(cudaGetLastError(), "butterfly");
    }
    largest<int><<<(n + block - 1) / block, block>>>(dw, n, dmax);
    ok(cudaGetLastError(), "largest");

    int top = 0;
    ok(cudaMemcpy(&top, dmax, sizeof(int), cudaMemcpyDeviceToHost), "copy");
    ok(cudaMemcpy(w.data(), dw, n * sizeof(int), cudaMemcpyDeviceToHost), "copy");

    long long weighted = 0;
    for (unsigned x = 0; x < n; x++) weighted += (long long)w[x] * (x % 17);
    std::cout << "W(0) = " << w[0] << ", W(1) = " << w[1] << "\n"
              << "largest |W| = " << top << ", nonlinearity = " << (int)(n / 2) - top / 2 << "\n"
              << "checksum " << weighted << std::endl;

    ok(cudaFree(dw), "free");
    ok(cudaFree(dmax), "free");
    return 0;
}
