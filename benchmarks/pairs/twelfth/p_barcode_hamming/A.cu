// Demultiplexing: Hamming distance of every read prefix to every barcode, then the best
// barcode and the runner-up's distance for every read.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHK(x) do { cudaError_t e_ = x; if (e_ != cudaSuccess) { \
    fprintf(stderr, "CUDA %s (%d)\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

typedef unsigned char byte;
typedef unsigned short ushort_t;

// reads: nr x len bytes, codes: nc x len bytes, dist: nr x nc
__global__ void hamming(const byte *reads, const byte *codes, ushort_t *dist, int nr, int nc, int len)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= nc || r >= nr) return;
    int d = 0;
    for (int i = 0; i < len; i++)
        if (reads[r * len + i] != codes[c * len + i]) d++;
    dist[r * nc + c] = (ushort_t)d;
}

// first barcode with the smallest distance; second smallest distance (0xffff if only one barcode)
__global__ void assign(const ushort_t *dist, int *best, int *second, int nr, int nc)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= nr) return;
    int b = 0, d1 = 0xffff, d2 = 0xffff;
    for (int c = 0; c < nc; c++) {
        int d = dist[r * nc + c];
        if (d < d1) { d2 = d1; d1 = d; b = c; }
        else if (d < d2) d2 = d;
    }
    best[r] = b;
    second[r] = d2;
}

int main()
{
    const int nr = 1500, nc = 210, len = 75;
    std::vector<byte> reads(nr * len), codes(nc * len);
    unsigned s = 2024;
    auto rnd = [&] { s = s * 1664525u + 1013904223u; return s >> 10; };
    for (auto &x : codes) x = (byte)"ACGT"[rnd() & 3];
    for (int r = 0; r < nr; r++) {
        int c = (int)(rnd() % nc);
        for (int i = 0; i < len; i++) {
            byte x = codes[c * len + i];
            if (rnd() % 6 == 0) x = (byte)"ACGTN"[rnd() % 5];
            reads[r * len + i] = x;
        }
    }

    byte *dr, *dc; ushort_t *dd; int *db, *ds;
    CHK(cudaMalloc(&dr, nr * len));
    CHK(cudaMalloc(&dc, nc * len));
    CHK(cudaMalloc(&dd, nr * nc * sizeof(ushort_t)));
    CHK(cudaMalloc(&db, nr * sizeof(int)));
    CHK(cudaMalloc(&ds, nr * sizeof(int)));
    CHK(cudaMemcpy(dr, reads.data(), nr * len, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dc, codes.data(), nc * len, cudaMemcpyHostToDevice));

    dim3 block(32, 8);
    hamming<<<dim3((nc + 31) / 32, (nr + 7) / 8), block>>>(dr, dc, dd, nr, nc, len);
    assign<<<(nr + 127) / 128, 128>>>(dd, db, ds, nr, nc);
    CHK(cudaGetLastError());

    std::vector<int> best(nr), second(nr);
    CHK(cudaMemcpy(best.data(), db, nr * sizeof(int), cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(second.data(), ds, nr * sizeof(int), cudaMemcpyDeviceToHost));
    unsigned h = 5381; long sum = 0;
    for (int r = 0; r < nr; r++) { h = h * 33u ^ (unsigned)best[r]; sum += second[r]; }
    printf("best[0..3] = %d %d %d %d, hash %u, mean runner-up %.4f\n",
           best[0], best[1], best[2], best[3], h, (double)sum / nr);
    cudaFree(dr); cudaFree(dc); cudaFree(dd); cudaFree(db); cudaFree(ds);
    return 0;
}
