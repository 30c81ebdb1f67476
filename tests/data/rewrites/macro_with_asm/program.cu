#include <cstdio>
#include <vector>

__global__ void mix(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = in[i];
    for (int r = 0; r < 16; r++) {
        unsigned long long wide = (unsigned long long)h * 2654435761u;
        unsigned high = 0;
        for (int b = 0; b < 32; b++) high |= unsigned((wide >> (32 + b)) & 1u) << b;
        h = high ^ (h + r);
    }
    out[i] = h;
}

int main()
{
    const int n = 4096;
    std::vector<unsigned> h(n);
    for (int i = 0; i < n; i++) h[i] = i * 40503u + 7u;
    unsigned *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    mix<<<n / 128, 128>>>(out, in, n);
    cudaMemcpy(h.data(), out, n * 4, cudaMemcpyDeviceToHost);
    unsigned s = 0;
    for (unsigned v : h) s ^= v;
    printf("%u\n", s);
}
