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

__global__ void search_barcodes(const char* barcodes, const int* bc_off, int n_bc,
                                const char* reads, const int* read_off, int n_reads, Match* out)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (r >= n_reads) return;
    const char* p = barcodes + bc_off[b];
    const int m = bc_off[b + 1] - bc_off[b];
    const char* t = reads + read_off[r];
    const int n = read_off[r + 1] - read_off[r];

    unsigned char col[MAXBC + 1];
    for (int i = 0; i <= m; i++) col[i] = (unsigned char)i;
    int best = m, end = 0;
    for (int j = 0; j < n; j++) {
        int diag = 0;                       // D[0][j-1], the search may start anywhere
        char c = t[j];
        for (int i = 1; i <= m; i++) {
            int old = col[i];
            int v = diag + (p[i - 1] != c);
            v = min(v, old + 1);
            v = min(v, col[i - 1] + 1);
            col[i] = (unsigned char)v;
            diag = old;
        }
        if (col[m] < best) { best = col[m]; end = j + 1; }
    }
    out[(size_t)b * n_reads + r].dist = (short)best;
    out[(size_t)b * n_reads + r].end = (short)end;
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

    dim3 grid((n_reads + 127) / 128, n_bc);
    search_barcodes<<<grid, 128>>>(d_bc, d_bo, n_bc, d_rd, d_ro, n_reads, d_out);
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
