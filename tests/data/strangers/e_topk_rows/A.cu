// Per-partition ORDER BY score DESC, id ASC LIMIT 16
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned long long ull;
const int K = 16;
const int THREADS = 256;

#define CHK(x) do { if ((x) != cudaSuccess) { printf("cuda failed at %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); return 1; } } while (0)

// larger key = better row: score in the high half, inverted id in the low half
__host__ __device__ inline ull makeKey(unsigned score, unsigned id) { return ((ull)score << 32) | (0xffffffffu - id); }

// K rounds; in each one the block looks for the best key below the previous winner
__global__ void topk(const unsigned *score, int cols, unsigned *ids, unsigned *best)
{
    __shared__ ull red[THREADS];
    const unsigned *row = score + (size_t)blockIdx.x * cols;
    ull limit = ~0ull;
    for (int k = 0; k < K; k++) {
        ull m = 0;
        for (int i = threadIdx.x; i < cols; i += THREADS) {
            ull key = makeKey(row[i], i);
            if (key < limit && key > m) m = key;
        }
        red[threadIdx.x] = m;
        __syncthreads();
        for (int s = THREADS / 2; s > 0; s >>= 1) {
            if (threadIdx.x < s && red[threadIdx.x + s] > red[threadIdx.x]) red[threadIdx.x] = red[threadIdx.x + s];
            __syncthreads();
        }
        limit = red[0];
        if (threadIdx.x == 0) {
            ids[blockIdx.x * K + k] = 0xffffffffu - (unsigned)limit;
            best[blockIdx.x * K + k] = (unsigned)(limit >> 32);
        }
        __syncthreads();
    }
}

int main()
{
    const int rows = 192, cols = 4096;                // every partition has at least K rows
    std::vector<unsigned> score((size_t)rows * cols);
    unsigned s = 0x1234567u;
    for (size_t i = 0; i < score.size(); i++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        score[i] = s >> 8;
    }
    unsigned *dS, *dI, *dB;
    CHK(cudaMalloc(&dS, score.size() * sizeof(unsigned)));
    CHK(cudaMalloc(&dI, rows * K * sizeof(unsigned)));
    CHK(cudaMalloc(&dB, rows * K * sizeof(unsigned)));
    CHK(cudaMemcpy(dS, score.data(), score.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    topk<<<rows, THREADS>>>(dS, cols, dI, dB);
    CHK(cudaGetLastError());
    std::vector<unsigned> ids(rows * K), best(rows * K);
    CHK(cudaMemcpy(ids.data(), dI, ids.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(best.data(), dB, best.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    ull h = 14695981039346656037ull;
    for (int i = 0; i < rows * K; i++) { h = (h ^ ids[i]) * 1099511628211ull; h = (h ^ best[i]) * 1099511628211ull; }
    for (int k = 0; k < K; k += 5) printf("partition 0 #%d: id %u score %u\n", k, ids[k], best[k]);
    printf("hash %016llx\n", h);
    cudaFree(dS); cudaFree(dI); cudaFree(dB);
    return 0;
}
