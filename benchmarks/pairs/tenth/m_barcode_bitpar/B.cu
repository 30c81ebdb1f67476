// Demultiplexing: every barcode against every read, approximate search (edit distance, the barcode may
// start anywhere in the read). For each pair: smallest distance and the first end position where it occurs
// (0 = before the first base). Barcodes have 1 to MAXBC bases.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define MAXBC 64

#define HANDLE(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

struct Match { short dist; short end; };

#define NT 128

typedef unsigned long long Word;      // MAXBC bits, one for each base of the barcode

// Myers' bit-parallel algorithm: a whole column of the DP matrix as vertical +1 / -1 bits,
// a handful of 64-bit operations for each base of the read. The match masks of the block's barcode,
// one for each possible byte, are in shared memory.
__global__ void __launch_bounds__(NT)
search_barcodes(const char* __restrict__ barcodes, const int* __restrict__ bc_off, int n_bc,
                const char* __restrict__ reads, const int* __restrict__ read_off, int n_reads,
                Match* __restrict__ out)
{
    __shared__ Word peq[256];
    const int b = blockIdx.y;
    const char* p = barcodes + bc_off[b];
    const int m = bc_off[b + 1] - bc_off[b];
    for (int c = threadIdx.x; c < 256; c += NT) {
        Word w = 0;
        for (int i = 0; i < m; i++)
            if ((unsigned char)p[i] == c) w |= (Word)1 << i;
        peq[c] = w;
    }
    __syncthreads();

    const int r = blockIdx.x * NT + threadIdx.x;
    if (r >= n_reads) return;
    const char* t = reads + read_off[r];
    const int n = read_off[r + 1] - read_off[r];
    const int top = m - 1;

    Word pv = ~(Word)0, mv = 0;
    int score = m, best = m, end = 0;
    for (int j = 0; j < n; j++) {
        const Word eq = peq[(unsigned char)__ldg(t + j)];
        const Word xv = eq | mv;
        const Word xh = (((eq & pv) + pv) ^ pv) | eq;
        Word ph = mv | ~(xh | pv);
        Word mh = pv & xh;
        score += (int)(ph >> top & 1) - (int)(mh >> top & 1);
        ph <<= 1;                      // the first row of the matrix is 0: no horizontal step comes in
        mh <<= 1;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
        if (score < best) { best = score; end = j + 1; }
    }
    Match res;
    res.dist = (short)best;
    res.end = (short)end;
    out[(size_t)b * n_reads + r] = res;
}

int main()
{
    const int n_bc = 24, n_reads = 500;
    unsigned x = 424242;
    auto rnd = [&x](int m) { x = x * 1664525u + 1013904223u; return (int)((x >> 9) % (unsigned)m); };

    std::string bc, rd;
    std::vector<int> boff(1, 0), roff(1, 0);
    for (int b = 0; b < n_bc; b++) {
        int len = b == 7 ? 64 : b == 8 ? 1 : 16 + rnd(12);
        for (int i = 0; i < len; i++) bc += "ACGT"[rnd(4)];
        boff.push_back((int)bc.size());
    }
    for (int r = 0; r < n_reads; r++) {
        int len = r == 11 ? 0 : 40 + rnd(60);
        int lead = rnd(20), which = rnd(n_bc), pos = boff[which];
        std::string s;
        while ((int)s.size() < len) {
            if ((int)s.size() < lead || pos >= boff[which + 1]) { s += "ACGTN"[rnd(100) ? rnd(4) : 4]; continue; }
            int e = rnd(20);
            if (e == 0) s += "ACGT"[rnd(4)];              // insertion
            else if (e == 1) pos++;                       // deletion
            else if (e == 2) { s += 'T'; pos++; }         // substitution
            else s += bc[pos++];
        }
        rd += s;
        roff.push_back((int)rd.size());
    }

    char *d_bc, *d_rd; int *d_bo, *d_ro; Match* d_out;
    std::vector<Match> out((size_t)n_bc * n_reads);
    HANDLE(cudaMalloc(&d_bc, bc.size()));
    HANDLE(cudaMalloc(&d_rd, rd.size()));
    HANDLE(cudaMalloc(&d_bo, boff.size() * sizeof(int)));
    HANDLE(cudaMalloc(&d_ro, roff.size() * sizeof(int)));
    HANDLE(cudaMalloc(&d_out, out.size() * sizeof(Match)));
    HANDLE(cudaMemcpy(d_bc, bc.data(), bc.size(), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(d_rd, rd.data(), rd.size(), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(d_bo, boff.data(), boff.size() * sizeof(int), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(d_ro, roff.data(), roff.size() * sizeof(int), cudaMemcpyHostToDevice));

    dim3 grid((n_reads + NT - 1) / NT, n_bc);
    search_barcodes<<<grid, NT>>>(d_bc, d_bo, n_bc, d_rd, d_ro, n_reads, d_out);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(out.data(), d_out, out.size() * sizeof(Match), cudaMemcpyDeviceToHost));

    std::vector<int> assigned(n_bc + 1, 0);
    long dsum = 0, esum = 0;
    for (int r = 0; r < n_reads; r++) {
        int who = n_bc, lim = 4;
        for (int b = 0; b < n_bc; b++) {
            Match m = out[(size_t)b * n_reads + r];
            dsum += m.dist;
            esum += m.end;
            if (m.dist < lim && boff[b + 1] - boff[b] > 8) { lim = m.dist; who = b; }
        }
        assigned[who]++;
    }
    for (int b = 0; b <= n_bc; b++) printf("%d ", assigned[b]);
    printf("\ndistances %ld ends %ld\n", dsum, esum);
    cudaFree(d_bc); cudaFree(d_rd); cudaFree(d_bo); cudaFree(d_ro); cudaFree(d_out);
    return 0;
}
