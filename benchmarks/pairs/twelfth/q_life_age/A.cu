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

__device__ u8 evolve(u8 age, int neighbours, bool highLife)
{
    if (age) {
        if (neighbours == 2 || neighbours == 3) return age < 255 ? age + 1 : 255;
        return 0;
    }
    return (neighbours == 3 || (highLife && neighbours == 6)) ? 1 : 0;
}

__global__ void lifeStep(const u8* in, u8* out, int w, int h, bool highLife)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            int xx = (x + dx + w) % w;
            int yy = (y + dy + h) % h;
            n += in[yy * w + xx] != 0;
        }
    out[y * w + x] = evolve(in[y * w + x], n, highLife);
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

    dim3 block(16, 16);
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
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
