// Full-search block motion estimation, 16x16 macroblocks, +-8 pixels.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define cudaOK(e) cuda_ok((e), __LINE__)
static inline void cuda_ok(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    exit(1);
}

constexpr int MB = 16;                 // macroblock
constexpr int R = 8;                   // search range
constexpr int D = 2 * R + 1;           // 17
constexpr int CAND = D * D;            // 289 candidates

struct MotionVec { int8_t dx, dy; uint16_t sad; };

constexpr int WIN = MB + 2 * R;        // 32: search window
constexpr int WSTRIDE = WIN / 4 + 1;   // 9 words a row, the last one only feeds the funnel shift

// one block per macroblock, one thread per candidate; smallest SAD, then smallest index wins.
// Window and macroblock are staged in shared memory as 32-bit words, four pixels per __vsadu4.
__global__ void __launch_bounds__(320)
motion(const uint8_t *__restrict__ cur, const uint8_t *__restrict__ ref, MotionVec *__restrict__ mv, int w, int h)
{
    __shared__ uint32_t win[WIN][WSTRIDE];
    __shared__ uint32_t blk[MB][MB / 4];
    __shared__ uint32_t best;
    const int bx = blockIdx.x * MB, by = blockIdx.y * MB;
    const int tid = threadIdx.x;

    uint8_t *win8 = reinterpret_cast<uint8_t *>(&win[0][0]);
    uint8_t *blk8 = reinterpret_cast<uint8_t *>(&blk[0][0]);
    for (int k = tid; k < WIN * WSTRIDE * 4; k += blockDim.x) {
        int j = k / (WSTRIDE * 4), i = k % (WSTRIDE * 4);
        int rx = min(max(bx - R + i, 0), w - 1);
        int ry = min(max(by - R + j, 0), h - 1);
        win8[k] = ref[ry * w + rx];
    }
    if (tid < MB * MB) blk8[tid] = cur[(by + tid / MB) * w + bx + tid % MB];
    if (tid == 0) best = 0xffffffffu;
    __syncthreads();

    if (tid < CAND) {
        const int ox = tid % D, oy = tid / D;
        const int word = ox >> 2, shift = (ox & 3) * 8;
        uint32_t sad = 0;
#pragma unroll 4
        for (int j = 0; j < MB; j++) {
            const uint32_t *row = &win[oy + j][word];
            uint32_t lo = row[0];
#pragma unroll
            for (int q = 0; q < MB / 4; q++) {
                uint32_t hi = row[q + 1];
                sad += __vsadu4(blk[j][q], __funnelshift_r(lo, hi, shift));
                lo = hi;
            }
        }
        // SAD in the high bits, candidate in the low ones: one atomicMin settles value and tie
        atomicMin(&best, (sad << 8) | (uint32_t)tid);
    }
    __syncthreads();
    if (tid == 0) {
        const int c = best & 0xff;
        MotionVec m;
        m.dx = (int8_t)(c % D - R);
        m.dy = (int8_t)(c / D - R);
        m.sad = (uint16_t)(best >> 8);
        mv[blockIdx.y * gridDim.x + blockIdx.x] = m;
    }
}

static uint8_t texel(int x, int y)
{
    uint32_t v = (uint32_t)(x + 4096) * 2654435761u ^ (uint32_t)(y + 4096) * 2246822519u;
    v ^= v >> 15; v *= 0x2c1b3c6du; v ^= v >> 12;
    return (uint8_t)(40 + (v & 127));
}

int main()
{
    const int w = 320, h = 192;        // multiples of MB
    std::vector<uint8_t> ref(w * h), cur(w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            ref[y * w + x] = texel(x, y);
            // background pans by (3,-2), the object in the middle moves by (-5,4)
            bool obj = x >= 112 && x < 208 && y >= 64 && y < 128;
            int sx = obj ? x - 5 : x + 3, sy = obj ? y + 4 : y - 2;
            cur[y * w + x] = (uint8_t)(texel(sx, sy) + ((x ^ y) & 1));
        }

    const int mbx = w / MB, mby = h / MB;
    uint8_t *dCur, *dRef; MotionVec *dMv;
    cudaOK(cudaMalloc(&dCur, w * h));
    cudaOK(cudaMalloc(&dRef, w * h));
    cudaOK(cudaMalloc(&dMv, mbx * mby * sizeof(MotionVec)));
    cudaOK(cudaMemcpy(dCur, cur.data(), w * h, cudaMemcpyHostToDevice));
    cudaOK(cudaMemcpy(dRef, ref.data(), w * h, cudaMemcpyHostToDevice));

    motion<<<dim3(mbx, mby), 320>>>(dCur, dRef, dMv, w, h);
    cudaOK(cudaGetLastError());

    std::vector<MotionVec> mv(mbx * mby);
    cudaOK(cudaMemcpy(mv.data(), dMv, mv.size() * sizeof(MotionVec), cudaMemcpyDeviceToHost));
    long sumSad = 0; int sx = 0, sy = 0;
    for (auto &m : mv) { sumSad += m.sad; sx += m.dx; sy += m.dy; }
    printf("mean mv (%.3f, %.3f) total SAD %ld\n", sx / (double)mv.size(), sy / (double)mv.size(), sumSad);
    for (int r = 0; r < mby; r += 3) {
        for (int c = 0; c < mbx; c += 2) printf("(%d,%d) ", mv[r * mbx + c].dx, mv[r * mbx + c].dy);
        printf("\n");
    }
    cudaFree(dCur); cudaFree(dRef); cudaFree(dMv);
    return 0;
}
