// kernel=next line=14 finding=KO118
#include <cstdio>

struct Seeds { unsigned add, times; };

__device__ unsigned step(unsigned v, Seeds s) { return v * s.times + s.add; }

// one round of a generator for each counter
__global__ void next(unsigned *state, const unsigned *salt, unsigned *drawn, Seeds s, int n)
{
    const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    unsigned v = step(state[i], s) ^ salt[i];
    state[i] = v;
    drawn[i] = (v >> 8) % 1000 + i;
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
    dim3 block(96), grid((n + block.x - 1) / block.x);
    next<<<grid, block>>>(x, y, z, s, n);
    next<<<grid, block>>>(x, y, z, s, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
