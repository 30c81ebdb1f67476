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

#define TILE 16                 // reads and barcodes of a block
#define STEP 64                 // bytes of each sequence in shared memory at a time

// reads: nr x len bytes, codes: nc x len bytes, dist: nr x nc
// Sequences are staged byte by byte (rows have any length, so they are not aligned) and compared
// four bytes at a time; what lies behind the end of a row or of the tables is zero on both sides.
__global__ void hamming(const byte *__restrict__ reads, const byte *__restrict__ codes,
                        ushort_t *__restrict__ dist, int nr, int nc, int len)
{
    __shared__ unsigned int sr[TILE][STEP / 4 + 1], sc[TILE][STEP / 4 + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TILE + tx;
    const int c0 = blockIdx.x * TILE, r0 = blockIdx.y * TILE;

    int d = 0;
    for (int from = 0; from < len; from += STEP) {
        for (int k = tid; k < TILE * STEP; k += TILE * TILE) {
            const int row = k / STEP, i = k % STEP;
            const bool in = from + i < len;
            byte x = 0, y = 0;
            if (in && r0 + row < nr) x = reads[(r0 + row) * len + from + i];
            if (in && c0 + row < nc) y = codes[(c0 + row) * len + from + i];
            reinterpret_cast<byte *>(sr[row])[i] = x;
            reinterpret_cast<byte *>(sc[row])[i] = y;
        }
        __syncthreads();
        #pragma unroll
        for (int w = 0; w < STEP / 4; w++)
            d += __popc(__vsetne4(sr[ty][w], sc[tx][w]));
        __syncthreads();
    }
    if (r0 + ty < nr && c0 + tx < nc) dist[(r0 + ty) * nc + c0 + tx] = (ushort_t)d;
}

// first barcode with the smallest distance; second smallest distance (0xffff if only one barcode).
// A warp per read; (distance, barcode) packed in one word so that minima keep the first barcode.
__global__ void assign(const ushort_t *__restrict__ dist, int *__restrict__ best,
                       int *__restrict__ second, int nr, int nc)
{
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= nr) return;
    unsigned long long k1 = 0xffffull << 32, k2 = 0xffffull << 32;
    for (int c = threadIdx.x; c < nc; c += 32) {
        const unsigned long long k = (unsigned long long)dist[r * nc + c] << 32 | (unsigned)c;
        if (k < k1) { k2 = k1; k1 = k; }
        else if (k < k2) k2 = k;
    }
    for (int d = 16; d > 0; d >>= 1) {
        const unsigned long long o1 = __shfl_xor_sync(0xffffffffu, k1, d);
        const unsigned long long o2 = __shfl_xor_sync(0xffffffffu, k2, d);
        const unsigned long long hi = k1 < o1 ? o1 : k1;
        k1 = k1 < o1 ? k1 : o1;
        k2 = k2 < o2 ? k2 : o2;
        k2 = k2 < hi ? k2 : hi;
    }
    if (threadIdx.x == 0) {
        best[r] = (int)(unsigned)k1;
        second[r] = (int)(k2 >> 32);
    }
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

    hamming<<<dim3((nc + TILE - 1) / TILE, (nr + TILE - 1) / TILE), dim3(TILE, TILE)>>>(dr, dc, dd, nr, nc, len);
    assign<<<(nr + 3) / 4, dim3(32, 4)>>>(dd, db, ds, nr, nc);
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
