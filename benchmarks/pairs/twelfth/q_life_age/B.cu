// Game of Life on a torus; a cell stores its age (0 = dead, saturates at 255). Optional mutation rule "HighLife".
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char u8;

#define CUCHK(e) cuchk((e), __FILE__, __LINE__)
static inline void cuchk(cudaError_t e, const char* f, int l)
{
    if (e != cudaSuccess) { printf("%s:%d %s\n", f, l, cudaGetErrorString(e)); exit(-1); }
}

__device__ __forceinline__ u8 evolve(u8 age, int neighbours, bool highLife)
{
    if (age) {
        if (neighbours == 2 || neighbours == 3) return age < 255 ? age + 1 : 255;
        return 0;
    }
    return (neighbours == 3 || (highLife && neighbours == 6)) ? 1 : 0;
}

constexpr int BX = 32;         // threads in x = columns of a tile
constexpr int BY = 8;          // threads in y
constexpr int ROWS = 4;        // rows per thread
constexpr int TH = BY * ROWS;  // rows of a tile

// A block owns a BX x TH tile and stages it with its one-cell rim; each thread walks down ROWS rows and
// keeps the three running column sums, so a row costs three shared loads instead of nine global ones.
__global__ void __launch_bounds__(BX * BY) lifeStep(const u8* __restrict__ in, u8* __restrict__ out,
                                                    int w, int h, bool highLife)
{
    __shared__ u8 tile[TH + 2][BX + 2];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * TH;

    for (int r = threadIdx.y; r < TH + 2; r += BY) {
        const int yy = (y0 + r - 1 + h) % h;               // wraps on both sides, surplus rows too
        for (int c = threadIdx.x; c < BX + 2; c += BX) {
            const int xx = (x0 + c - 1 + w) % w;
            tile[r][c] = in[yy * w + xx];
        }
    }
    __syncthreads();

    const int x = x0 + threadIdx.x;
    if (x >= w) return;
    const int c = threadIdx.x + 1;
    const int first = threadIdx.y * ROWS;                  // first row of this thread inside the tile

    auto rowSum = [&](int r) { return (tile[r][c - 1] != 0) + (tile[r][c] != 0) + (tile[r][c + 1] != 0); };
    int above = rowSum(first), here = rowSum(first + 1);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int below = rowSum(first + k + 2);
        const int y = y0 + first + k;
        if (y < h) {
            const u8 age = tile[first + k + 1][c];
            out[y * w + x] = evolve(age, above + here + below - (age != 0), highLife);
        }
        above = here;
        here = below;
    }
}

int main()
{
    const int w = 500, h = 347, generations = 12;
    std::vector<u8> world(w * h);
    unsigned s = 1u;
    for (auto& c : world) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5;
        c = (s & 7) < 3 ? 1 : 0;
    }
    u8 *a, *b;
    CUCHK(cudaMalloc(&a, w * h));
    CUCHK(cudaMalloc(&b, w * h));
    CUCHK(cudaMemcpy(a, world.data(), w * h, cudaMemcpyHostToDevice));

    dim3 block(BX, BY);
    dim3 grid((w + BX - 1) / BX, (h + TH - 1) / TH);
    for (int g = 0; g < generations; g++) {
        lifeStep<<<grid, block>>>(a, b, w, h, g >= generations / 2);
        CUCHK(cudaGetLastError());
        u8* t = a; a = b; b = t;
    }
    CUCHK(cudaMemcpy(world.data(), a, w * h, cudaMemcpyDeviceToHost));

    long alive = 0, ages = 0; int oldest = 0; unsigned crc = 0;
    for (u8 c : world) {
        alive += c != 0; ages += c;
        if (c > oldest) oldest = c;
        crc = (crc << 3 | crc >> 29) ^ (c * 0x9E3779B1u);
    }
    printf("generation %d: alive %ld, mean age %.4f, oldest %d, crc %08x\n", generations, alive,
           alive ? (double)ages / alive : 0.0, oldest, crc);
    CUCHK(cudaFree(a));
    CUCHK(cudaFree(b));
    return 0;
}
