// kernel=next line=14 finding=KO118
#include <cstdio>

struct Seeds { unsigned add, times; };

__device__ unsigned step(unsigned v, Seeds s) { return v * s.times + s.add; }

// one round of a generator for each counter
__global__ void next(unsigned *state, const unsigned *salt, unsigned *drawn, Seeds s, int n)
{
    const bool aligned = (reinterpret_cast<size_t>(state) | reinterpret_cast<size_t>(salt) | reinterpret_cast<size_t>(drawn)) % 16 == 0;
    const unsigned first = (threadIdx.x + blockIdx.x * blockDim.x) * 4;
    if (aligned && first + 4 <= n) {
        alignas(16) unsigned state4[4];
        *reinterpret_cast<uint4 *>(state4) = *reinterpret_cast<const uint4 *>(state + first);
        alignas(16) unsigned salt4[4];
        *reinterpret_cast<uint4 *>(salt4) = *reinterpret_cast<const uint4 *>(salt + first);
        alignas(16) unsigned drawn4[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned i = first + k;
            unsigned v = step(state4[k], s) ^ salt4[k];
            state4[k] = v;
            drawn4[k] = (v >> 8) % 1000 + i;
        }
        *reinterpret_cast<uint4 *>(state + first) = *reinterpret_cast<uint4 *>(state4);
        *reinterpret_cast<uint4 *>(drawn + first) = *reinterpret_cast<uint4 *>(drawn4);
    } else {
        for (unsigned i = first; i < n && i < first + 4; ++i) {
            unsigned v = step(state[i], s) ^ salt[i];
            state[i] = v;
            drawn[i] = (v >> 8) % 1000 + i;
        }
    }
}

int main() {
    const int n = 3001;
    static unsigned a[n], b[n];
    static unsigned c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (unsigned)(i * 37 % 201);
        b[i] = (unsigned)(i * 11 % 97);
    }
    unsigned *x, *y;
    unsigned *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    Seeds s = {12345u, 1103515245u};
    dim3 block(96), grid((n + 4 * block.x - 1) / (4 * block.x));
    next<<<grid, block>>>(x, y, z, s, n);
    next<<<grid, block>>>(x, y, z, s, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
