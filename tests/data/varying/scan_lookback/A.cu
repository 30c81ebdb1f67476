// Run-length decoding: exclusive scan of run lengths, then every run writes its first output slot.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define CUCHECK(x) do { cudaError_t _s = (x); if (_s != cudaSuccess) { fprintf(stderr, "[%s] %s\n", #x, cudaGetErrorString(_s)); exit(1); } } while (0)

const int BS = 512;

__device__ uint32_t block_inclusive(uint32_t v, uint32_t* buf)
{
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int d = 1; d < BS; d *= 2) {
        uint32_t o = t >= d ? buf[t - d] : 0;
        __syncthreads();
        buf[t] += o;
        __syncthreads();
    }
    return buf[t];
}

__global__ void scan_blocks(const uint32_t* in, uint32_t* out, uint32_t* sums, int n)
{
    __shared__ uint32_t buf[BS];
    int i = blockIdx.x * BS + threadIdx.x;
    uint32_t v = i < n ? in[i] : 0;
    uint32_t inc = block_inclusive(v, buf);
    if (i < n) out[i] = inc - v;
    if (threadIdx.x == BS - 1) sums[blockIdx.x] = inc;
}

__global__ void scan_sums(uint32_t* sums, int nb)      // one block, nb <= BS
{
    __shared__ uint32_t buf[BS];
    uint32_t v = (int)threadIdx.x < nb ? sums[threadIdx.x] : 0;
    uint32_t inc = block_inclusive(v, buf);
    if ((int)threadIdx.x < nb) sums[threadIdx.x] = inc - v;
}

__global__ void add_sums(uint32_t* out, const uint32_t* sums, int n)
{
    int i = blockIdx.x * BS + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

int main()
{
    const int n = 190003;
    std::vector<uint32_t> len(n), off(n);
    uint32_t s = 7;
    for (int i = 0; i < n; i++) { s = s * 22695477u + 1u; len[i] = (s >> 27) == 0 ? 5000 : (s >> 24) % 9; }
    const int nb = (n + BS - 1) / BS;
    uint32_t *d_len, *d_off, *d_sums;
    CUCHECK(cudaMalloc(&d_len, n * 4));
    CUCHECK(cudaMalloc(&d_off, n * 4));
    CUCHECK(cudaMalloc(&d_sums, nb * 4));
    CUCHECK(cudaMemcpy(d_len, len.data(), n * 4, cudaMemcpyHostToDevice));

    scan_blocks<<<nb, BS>>>(d_len, d_off, d_sums, n);
    scan_sums<<<1, BS>>>(d_sums, nb);
    add_sums<<<nb, BS>>>(d_off, d_sums, n);
    CUCHECK(cudaGetLastError());

    CUCHECK(cudaMemcpy(off.data(), d_off, n * 4, cudaMemcpyDeviceToHost));
    uint64_t h = 0;
    for (int i = 0; i < n; i++) h = h * 31 + off[i];
    printf("runs %d, decoded size %u, hash %016llx\n", n, off[n - 1] + len[n - 1], (unsigned long long)h);
    for (int i = 0; i < n; i += 38000) printf("off[%d] = %u\n", i, off[i]);
    CUCHECK(cudaFree(d_len)); CUCHECK(cudaFree(d_off)); CUCHECK(cudaFree(d_sums));
    return 0;
}
