// Smith-Waterman scores (affine gaps) of many read/reference pairs.
// One thread aligns one pair, row by row; rows of H and E live in global memory because they do not fit in registers.
//
// args: pairs readLen refLen

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define GAP_OPEN   5
#define GAP_EXTEND 1

// A C G T N
__constant__ int subst[5][5] = {
    { 2, -3, -2, -3, -1},
    {-3,  2, -3, -2, -1},
    {-2, -3,  2, -3, -1},
    {-3, -2, -3,  2, -1},
    {-1, -1, -1, -1, -1},
};

struct Hit {
    int score;
    int readEnd;
    int refEnd;
};

__device__ int code(char c)
{
    switch (c) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
    }
    return 4;
}

__global__ void align(const char *reads, const char *refs, int *rowH, int *rowE, Hit *hits, int pairs, int readLen, int refLen)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= pairs) return;

    const char *read = reads + (size_t)t * readLen;
    const char *ref = refs + (size_t)t * refLen;
    int *H = rowH + (size_t)t * (refLen + 1);
    int *E = rowE + (size_t)t * (refLen + 1);

    for (int j = 0; j <= refLen; j++) {
        H[j] = 0;
        E[j] = -10000;
    }
    hits[t].score = 0;
    hits[t].readEnd = -1;
    hits[t].refEnd = -1;

    for (int i = 0; i < readLen; i++) {
        int diag = 0;      // H[i-1][j-1]
        int F = -10000;
        for (int j = 1; j <= refLen; j++) {
            // gap in the read
            E[j] = max(E[j] - GAP_EXTEND, H[j] - GAP_OPEN);
            // gap in the reference
            F = max(F - GAP_EXTEND, H[j - 1] - GAP_OPEN);
            int h = diag + subst[code(read[i])][code(ref[j - 1])];
            h = max(h, E[j]);
            h = max(h, F);
            h = max(h, 0);
            diag = H[j];
            H[j] = h;
            if (h > hits[t].score) {
                hits[t].score = h;
                hits[t].readEnd = i;
                hits[t].refEnd = j - 1;
            }
        }
    }
}

__global__ void scoreHistogram(const Hit *hits, unsigned int *hist, int pairs, int bins)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t < pairs) {
        int b = hits[t].score;
        if (b >= bins) b = bins - 1;
        atomicAdd(&hist[b], 1u);
    }
}

static unsigned int rng = 1;
static unsigned int next_random(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 17;
    rng ^= rng << 5;
    return rng;
}

int main(int argc, char **argv)
{
    int pairs = 4096, readLen = 64, refLen = 80;
    if (argc > 1) pairs = atoi(argv[1]);
    if (argc > 2) readLen = atoi(argv[2]);
    if (argc > 3) refLen = atoi(argv[3]);
    const int bins = 2 * readLen + 1;

    char *reads = (char *)malloc((size_t)pairs * readLen);
    char *refs = (char *)malloc((size_t)pairs * refLen);
    for (int p = 0; p < pairs; p++) {
        char *ref = refs + (size_t)p * refLen, *read = reads + (size_t)p * readLen;
        for (int j = 0; j < refLen; j++)
            ref[j] = next_random() % 200 == 0 ? 'N' : "ACGT"[next_random() >> 30];
        // read = piece of the reference with errors
        int pos = next_random() % (refLen / 4 + 1);
        for (int i = 0; i < readLen; i++) {
            unsigned int e = next_random() % 100;
            if (e < 2) pos++;                       // deletion
            if (e >= 2 && e < 4 && pos > 0) pos--;  // insertion
            read[i] = e >= 4 && e < 9 ? "ACGT"[next_random() >> 30] : pos < refLen ? ref[pos] : "ACGT"[next_random() >> 30];
            pos++;
        }
    }

    char *d_reads, *d_refs;
    int *d_H, *d_E;
    Hit *d_hits;
    unsigned int *d_hist;
    cudaMalloc(&d_reads, (size_t)pairs * readLen);
    cudaMalloc(&d_refs, (size_t)pairs * refLen);
    cudaMalloc(&d_H, (size_t)pairs * (refLen + 1) * sizeof(int));
    cudaMalloc(&d_E, (size_t)pairs * (refLen + 1) * sizeof(int));
    cudaMalloc(&d_hits, pairs * sizeof(Hit));
    cudaMalloc(&d_hist, bins * sizeof(unsigned int));
    cudaMemcpy(d_reads, reads, (size_t)pairs * readLen, cudaMemcpyHostToDevice);
    cudaMemcpy(d_refs, refs, (size_t)pairs * refLen, cudaMemcpyHostToDevice);
    cudaMemset(d_hist, 0, bins * sizeof(unsigned int));

    align<<<(pairs + 63) / 64, 64>>>(d_reads, d_refs, d_H, d_E, d_hits, pairs, readLen, refLen);
    scoreHistogram<<<(pairs + 63) / 64, 64>>>(d_hits, d_hist, pairs, bins);
    cudaDeviceSynchronize();
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("error: %s\n", cudaGetErrorString(err));
        return 1;
    }

    Hit *hits = (Hit *)malloc(pairs * sizeof(Hit));
    unsigned int *hist = (unsigned int *)malloc(bins * sizeof(unsigned int));
    cudaMemcpy(hits, d_hits, pairs * sizeof(Hit), cudaMemcpyDeviceToHost);
    cudaMemcpy(hist, d_hist, bins * sizeof(unsigned int), cudaMemcpyDeviceToHost);

    long long total = 0, ends = 0;
    for (int p = 0; p < pairs; p++) {
        total += hits[p].score;
        ends += (long long)hits[p].readEnd * 1000 + hits[p].refEnd;
    }
    int common = 0;
    for (int b = 0; b < bins; b++)
        if (hist[b] > hist[common]) common = b;
    printf("total score %lld, ends %lld, most common score %d (%u pairs)\n", total, ends, common, hist[common]);
    printf("first: %d at %d/%d, last: %d at %d/%d\n", hits[0].score, hits[0].readEnd, hits[0].refEnd,
           hits[pairs - 1].score, hits[pairs - 1].readEnd, hits[pairs - 1].refEnd);

    free(reads); free(refs); free(hits); free(hist);
    cudaFree(d_reads); cudaFree(d_refs); cudaFree(d_H); cudaFree(d_E); cudaFree(d_hits); cudaFree(d_hist);
    return 0;
}
