// k-mer Spektrum aus Reads (kanonische k-mere, N wird uebersprungen)
// kmer_count <reads> <laenge> <k>      k <= 12
// TODO: FASTQ einlesen statt Zufallsdaten
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define MAXCOUNT 64   // Histogramm: 1..63, alles darueber in 64

__device__ int baseCode(char c)
{
    switch (c) {
        case 'A': return 0;
        case 'C': return 1;
        case 'G': return 2;
        case 'T': return 3;
        default: return -1;
    }
}

// ein Thread pro Read
__global__ void countKmers(const char *reads, unsigned int *counts, int numReads, int len, int k)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= numReads) return;

    for (int p = 0; p + k <= len; p++) {
        unsigned int fwd = 0, rev = 0;
        bool ok = true;
        for (int i = 0; i < k; i++) {
            int c = baseCode(reads[r * len + p + i]);
            if (c < 0) ok = false;
            fwd = (fwd << 2) | (c & 3);
            rev = rev | ((3 - (c & 3)) << (2 * i));   // reverses Komplement
        }
        if (ok) {
            unsigned int canonical = fwd < rev ? fwd : rev;
            atomicAdd(&counts[canonical], 1);
        }
    }
}

// wie viele k-mere kommen 1x, 2x, ... vor
__global__ void spectrum(const unsigned int *counts, unsigned int *hist, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        unsigned int c = counts[i];
        if (c > MAXCOUNT) c = MAXCOUNT;
        atomicAdd(&hist[c], 1);
    }
}

// haeufigstes k-mer: (Anzahl, Index) in 64 Bit gepackt
__global__ void mostFrequent(const unsigned int *counts, unsigned long long *best, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        unsigned long long v = ((unsigned long long)counts[i] << 32) | (0xffffffffu - i);
        atomicMax(best, v);
    }
}

int main(int argc, char **argv)
{
    int numReads = argc > 1 ? atoi(argv[1]) : 10000;
    int len = argc > 2 ? atoi(argv[2]) : 100;
    int k = argc > 3 ? atoi(argv[3]) : 8;
    if (k > 12 || k > len) { fprintf(stderr, "k zu gross\n"); return 1; }

    // "Genom" und Reads daraus, 1% Fehler, 0.1% N
    unsigned int seed = 4711;
    auto next = [&]() { seed = seed * 1664525u + 1013904223u; return seed >> 8; };
    int genomeSize = numReads * 4 + len;
    std::string genome(genomeSize, 'A');
    for (auto &c : genome) c = "ACGT"[next() >> 22];
    std::vector<char> reads((size_t)numReads * len);
    for (int r = 0; r < numReads; r++) {
        int start = next() % (genomeSize - len);
        memcpy(&reads[(size_t)r * len], &genome[start], len);
        for (int e = 0; e < len / 100 + 1; e++) reads[(size_t)r * len + next() % len] = "ACGT"[next() >> 22];
        if (next() % 10 == 0) reads[(size_t)r * len + next() % len] = 'N';
    }

    unsigned int size = 1u << (2 * k);
    char *dReads;
    unsigned int *dCounts, *dHist;
    unsigned long long *dBest;
    cudaMalloc(&dReads, reads.size());
    cudaMalloc(&dCounts, size * sizeof(unsigned int));
    cudaMalloc(&dHist, (MAXCOUNT + 1) * sizeof(unsigned int));
    cudaMalloc(&dBest, sizeof(unsigned long long));
    cudaMemcpy(dReads, reads.data(), reads.size(), cudaMemcpyHostToDevice);
    cudaMemset(dCounts, 0, size * sizeof(unsigned int));
    cudaMemset(dHist, 0, (MAXCOUNT + 1) * sizeof(unsigned int));
    cudaMemset(dBest, 0, sizeof(unsigned long long));

    countKmers<<<numReads / 128 + 1, 128>>>(dReads, dCounts, numReads, len, k);
    spectrum<<<(size + 255) / 256, 256>>>(dCounts, dHist, size);
    mostFrequent<<<(size + 255) / 256, 256>>>(dCounts, dBest, size);

    unsigned int hist[MAXCOUNT + 1];
    unsigned long long best;
    cudaMemcpy(hist, dHist, sizeof(hist), cudaMemcpyDeviceToHost);
    cudaMemcpy(&best, dBest, sizeof(best), cudaMemcpyDeviceToHost);
    cudaError_t err = cudaGetLastError();
    if (err) { fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(err)); return 2; }

    unsigned int index = 0xffffffffu - (unsigned int)best;
    std::string text;
    for (int i = k - 1; i >= 0; i--) text += "ACGT"[index >> (2 * i) & 3];
    printf("verschiedene k-mere: %u\n", size - hist[0]);
    printf("haeufigstes: %s (%llu)\n", text.c_str(), best >> 32);
    printf("Spektrum:");
    for (int i = 1; i <= 8; i++) printf(" %u", hist[i]);
    printf(" ... %u\n", hist[MAXCOUNT]);

    cudaFree(dReads);
    cudaFree(dCounts);
    cudaFree(dHist);
    cudaFree(dBest);
    return 0;
}
