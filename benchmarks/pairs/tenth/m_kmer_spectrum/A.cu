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

// 0..3 for ACGT in either case, -1 for everything else (N, IUPAC codes, gaps)
__host__ __device__ inline int base_code(char c)
{
    switch (c) {
    case 'A': case 'a': return 0;
    case 'C': case 'c': return 1;
    case 'G': case 'g': return 2;
    case 'T': case 't': return 3;
    default: return -1;
    }
}

// one thread per start position; contig_start has ncontigs + 1 entries
__global__ void count_kmers(const char* seq, const int* contig_start, int ncontigs, u32* hist)
{
    int contig = blockIdx.y;
    if (contig >= ncontigs) return;
    int begin = contig_start[contig], end = contig_start[contig + 1];
    for (int pos = begin + blockIdx.x * blockDim.x + threadIdx.x; pos + KMER <= end; pos += gridDim.x * blockDim.x) {
        u32 fwd = 0, rev = 0;
        bool ok = true;
        for (int k = 0; k < KMER; k++) {
            int b = base_code(seq[pos + k]);
            if (b < 0) { ok = false; break; }
            fwd = fwd << 2 | (u32)b;
            rev |= (u32)(3 - b) << (2 * k);
        }
        if (ok) atomicAdd(&hist[fwd < rev ? fwd : rev], 1u);
    }
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

    dim3 grid(std::min(256, (longest + 255) / 256), nc);
    count_kmers<<<grid, 256>>>(d_seq, d_start, nc, d_hist);
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
