/* Batch modular exponentiation: out[i] = base[i]^exp[i] mod m[i].
   Moduli are odd 32-bit numbers (anything from 3 to 0xFFFFFFFF). */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void die(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        std::exit(2);
    }
}

struct Job {
    uint32_t base;
    uint32_t exp;
    uint32_t mod;
};

// -m^-1 mod 2^32 by Newton iteration (m odd)
__device__ __forceinline__ uint32_t neg_inverse(uint32_t m)
{
    uint32_t x = m;            // 3 bits right
    x *= 2u - m * x;           // 6
    x *= 2u - m * x;           // 12
    x *= 2u - m * x;           // 24
    x *= 2u - m * x;           // 48
    return 0u - x;
}

// Montgomery reduction: t * 2^-32 mod m
__device__ __forceinline__ uint32_t redc(uint64_t t, uint32_t m, uint32_t ninv)
{
    uint32_t q = (uint32_t)t * ninv;
    uint64_t u = (t + (uint64_t)q * m) >> 32;
    return (uint32_t)(u >= m ? u - m : u);
}

__device__ __forceinline__ uint32_t mmul(uint32_t a, uint32_t b, uint32_t m, uint32_t ninv)
{
    return redc((uint64_t)a * b, m, ninv);
}

// No division in the loop any more: operands are kept in Montgomery form.
__global__ void powmod(const Job* __restrict__ jobs, uint32_t* __restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Job j = jobs[i];
    uint32_t m = j.mod;
    uint32_t ninv = neg_inverse(m);
    uint32_t one = (uint32_t)((1ull << 32) % m);
    uint32_t b = (uint32_t)(((uint64_t)(j.base % m) << 32) % m);
    uint32_t r = one;
    for (uint32_t e = j.exp; e != 0; e >>= 1) {
        if (e & 1u)
            r = mmul(r, b, m, ninv);
        b = mmul(b, b, m, ninv);
    }
    out[i] = redc(r, m, ninv);
}

static uint32_t xs(uint32_t& s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

int main()
{
    const int count = 1 << 16;
    Job* h = (Job*)std::malloc(count * sizeof(Job));
    uint32_t* res = (uint32_t*)std::malloc(count * sizeof(uint32_t));
    uint32_t s = 0x1234567u;
    for (int i = 0; i < count; ++i) {
        h[i].base = xs(s);
        h[i].exp = xs(s);
        h[i].mod = (xs(s) >> 4) | 0x04000001u;
    }

    Job* dj = nullptr;
    uint32_t* dout = nullptr;
    die(cudaMalloc((void**)&dj, count * sizeof(Job)), "malloc jobs");
    die(cudaMalloc((void**)&dout, count * sizeof(uint32_t)), "malloc out");
    die(cudaMemcpy(dj, h, count * sizeof(Job), cudaMemcpyHostToDevice), "h2d");

    powmod<<<(count + 255) / 256, 256>>>(dj, dout, count);
    die(cudaGetLastError(), "launch");
    die(cudaMemcpy(res, dout, count * sizeof(uint32_t), cudaMemcpyDeviceToHost), "d2h");

    uint64_t sum = 0;
    uint32_t x = 0;
    for (int i = 0; i < count; ++i) {
        sum += res[i];
        x = (x << 1 | x >> 31) ^ res[i];
    }
    std::printf("sum %llu  mix %08x  first %u %u %u\n", (unsigned long long)sum, x, res[0], res[1], res[2]);
    cudaFree(dj);
    cudaFree(dout);
    std::free(h);
    std::free(res);
    return 0;
}
