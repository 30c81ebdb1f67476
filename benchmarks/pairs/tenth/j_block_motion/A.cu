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

// one block per macroblock, one thread per candidate; smallest SAD, then smallest index wins
__global__ void motion(const uint8_t *cur, const uint8_t *ref, MotionVec *mv, int w, int h)
{
    __shared__ int sads[CAND];
    int bx = blockIdx.x * MB, by = blockIdx.y * MB;
    int c = threadIdx.x;
    if (c < CAND) {
        int dx = c % D - R, dy = c / D - R;
        int sad = 0;
        for (int j = 0; j < MB; j++)
            for (int i = 0; i < MB; i++) {
                int rx = bx + i + dx, ry = by + j + dy;
                rx = rx < 0 ? 0 : (rx >= w ? w - 1 : rx);
                ry = ry < 0 ? 0 : (ry >= h ? h - 1 : ry);
                sad += abs((int)cur[(by + j) * w + bx + i] - (int)ref[ry * w + rx]);
            }
        sads[c] = sad;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int best = 0;
        for (int k = 1; k < CAND; k++)
            if (sads[k] < sads[best]) best = k;
        MotionVec m;
        m.dx = (int8_t)(best % D - R);
        m.dy = (int8_t)(best / D - R);
        m.sad = (uint16_t)sads[best];
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
