// kernel=digits line=9 finding=KO110
#include <cstdio>
constexpr int RADIX = 16;

__global__ void digits(const unsigned *in, unsigned *digit, unsigned *seen, int shift, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&digit[(in[i] >> shift) & (RADIX - 1)], 1);
        atomicAdd(seen, 1);
    }
}

int main() {
    const int n = 20001;
    unsigned *in, *h = new unsigned[n];
    for (int i = 0; i < n; i++) h[i] = i * 2654435761u;
    cudaMalloc(&in, n * sizeof(unsigned));
    cudaMemcpy(in, h, n * sizeof(unsigned), cudaMemcpyHostToDevice);
    unsigned *digit, *seen, h1[RADIX];
    cudaMalloc(&digit, sizeof(unsigned) * RADIX);
    cudaMalloc(&seen, sizeof(unsigned));
    cudaMemset(digit, 0, sizeof(unsigned) * RADIX);
    cudaMemset(seen, 0, sizeof(unsigned));
    digits<<<(n + 127) / 128, 128>>>(in, digit, seen, 8, n);
    cudaMemcpy(h1, digit, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < RADIX; i++) printf("%u ", h1[i]);
    return 0;
}
