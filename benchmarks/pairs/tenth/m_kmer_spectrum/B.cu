// Canonical k-mer spectrum of an assembly (contigs joined into one buffer with start offsets).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned int u32;

enum { KMER = 6, BINS = 1 << (2 * KMER) };

static void die(const char* msg, cudaError_t e) { fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e)); exit(1); }
#define RUN(x) do { cudaError_t r_ = (x); if (r_ != cudaSuccess) die(#x, r_); } while (0)

enum { THREADS = 256, RUN_LEN = 32, CHUNK = THREADS * RUN_LEN };

// Branch-free 2-bit code, both cases: bits 1..2 of the ASCII code are 0,1,3,2 for A,C,G,T.
__device__ __forceinline__ u32 base_code(char c)
{
    u32 x = ((u32)c >> 1) & 3u;
    return x ^ (x >> 1);
}

// A thread rolls over RUN_LEN consecutive start positions, one new base for each;
// the block counts in shared memory and adds its bins to the global ones at the end.
__global__ void __launch_bounds__(THREADS)
count_kmers(const char* __restrict__ seq, const int* __restrict__ contig_start, int ncontigs, u32* hist)
{
    __shared__ u32 local[BINS];
    const int contig = blockIdx.y;
    if (contig >= ncontigs) return;
    const int begin = __ldg(contig_start + contig), end = __ldg(contig_start + contig + 1);
    if (begin + (int)blockIdx.x * CHUNK + KMER > end) return;     // the whole block has nothing to do

    for (int i = threadIdx.x; i < BINS; i += THREADS) local[i] = 0;
    __syncthreads();

    const u32 mask = BINS - 1;
    for (int base = begin + (int)blockIdx.x * CHUNK; base + KMER <= end; base += (int)gridDim.x * CHUNK) {
        const int first = base + (int)threadIdx.x * RUN_LEN;
        const int last = min(first + RUN_LEN, end - KMER + 1);      // start positions [first, last)
        if (first < last) {
            u32 fwd = 0, rev = 0;
#pragma unroll
            for (int k = 0; k < KMER - 1; k++) {
                u32 b = base_code(seq[first + k]);
                fwd = fwd << 2 | b;
                rev = rev >> 2 | (3u - b) << (2 * (KMER - 1));
            }
            for (int pos = first; pos < last; pos++) {
                u32 b = base_code(seq[pos + KMER - 1]);
                fwd = (fwd << 2 | b) & mask;
                rev = rev >> 2 | (3u - b) << (2 * (KMER - 1));
                atomicAdd(&local[min(fwd, rev)], 1u);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += THREADS)
        if (local[i]) atomicAdd(&hist[i], local[i]);
}

int main()
{
    const int lens[] = {180000, 3, 95001, 64, 40017, 6, 33000};
    const int nc = sizeof lens / sizeof lens[0];
    std::vector<int> start(nc + 1, 0);
    for (int i = 0; i < nc; i++) start[i + 1] = start[i] + lens[i];
    std::vector<char> seq(start[nc]);
    u32 r = 1;
    int longest = 0;
    for (int i = 0; i < nc; i++) longest = std::max(longest, lens[i]);
    for (size_t i = 0; i < seq.size(); i++) {
        r = r * 1103515245u + 12345u;
        u32 v = r >> 20;
        char c = "ACGTAATT"[v & 7];                    // AT rich
        if ((i / 700) % 9 == 4) c = (char)(c + 32);    // soft-masked repeats
        seq[i] = c;
    }

    char* d_seq; int* d_start; u32* d_hist;
    RUN(cudaMalloc((void**)&d_seq, seq.size()));
    RUN(cudaMalloc((void**)&d_start, (nc + 1) * sizeof(int)));
    RUN(cudaMalloc((void**)&d_hist, BINS * sizeof(u32)));
    RUN(cudaMemcpy(d_seq, seq.data(), seq.size(), cudaMemcpyHostToDevice));
    RUN(cudaMemcpy(d_start, start.data(), (nc + 1) * sizeof(int), cudaMemcpyHostToDevice));
    RUN(cudaMemset(d_hist, 0, BINS * sizeof(u32)));

    dim3 grid(std::min(64, (longest + CHUNK - 1) / CHUNK), nc);
    count_kmers<<<grid, THREADS>>>(d_seq, d_start, nc, d_hist);
    RUN(cudaGetLastError());

    std::vector<u32> hist(BINS);
    RUN(cudaMemcpy(hist.data(), d_hist, BINS * sizeof(u32), cudaMemcpyDeviceToHost));
    unsigned long long total = 0, h = 0; u32 mx = 0; int arg = 0, distinct = 0;
    for (int i = 0; i < BINS; i++) {
        total += hist[i];
        distinct += hist[i] != 0;
        h = h * 31 + hist[i];
        if (hist[i] > mx) { mx = hist[i]; arg = i; }
    }
    char name[KMER + 1] = {0};
    for (int k = 0; k < KMER; k++) name[k] = "ACGT"[arg >> (2 * (KMER - 1 - k)) & 3];
    printf("%llu k-mers, %d distinct, top %s x %u, hash %llx\n", total, distinct, name, mx, h);
    RUN(cudaFree(d_seq)); RUN(cudaFree(d_start)); RUN(cudaFree(d_hist));
    return 0;
}
