// Conway's Game of Life on a torus. One byte (0 or 1) per cell.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define CE(call) do { cudaError_t e = call; if (e != cudaSuccess) { fprintf(stderr, "%s:%d  %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

enum { W = 1024, H = 700, GENERATIONS = 5 };

typedef unsigned char cell;

__global__ void step(const cell* in, cell* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) n += in[((y + dy + H) % H) * W + (x + dx + W) % W];
    cell alive = in[y * W + x];
    out[y * W + x] = (n == 3 || (n == 2 && alive)) ? 1 : 0;
}

static void printCorner(const std::vector<cell>& c)
{
    for (int y = 0; y < 12; y++) {
        for (int x = 0; x < 48; x++) putchar(c[y * W + x] ? '#' : '.');
        putchar('\n');
    }
}

int main()
{
    std::vector<cell> world(W * H);
    unsigned s = 1234567;
    for (int i = 0; i < W * H; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; world[i] = (s >> 7) % 100 < 31; }
    // a glider that crosses the corner of the torus, in a cleared patch
    for (int y = -6; y < 6; y++) for (int x = -6; x < 6; x++) world[((y + H) % H) * W + (x + W) % W] = 0;
    const int g[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto& p : g) world[((p[1] - 2 + H) % H) * W + (p[0] - 2 + W) % W] = 1;

    cell *a, *b;
    CE(cudaMalloc(&a, W * H));
    CE(cudaMalloc(&b, W * H));
    CE(cudaMemcpy(a, world.data(), W * H, cudaMemcpyHostToDevice));
    dim3 block(32, 8), grid((W + 31) / 32, (H + 7) / 8);
    for (int t = 0; t < GENERATIONS; t++) {
        step<<<grid, block>>>(a, b);
        CE(cudaGetLastError());
        std::swap(a, b);
    }
    CE(cudaMemcpy(world.data(), a, W * H, cudaMemcpyDeviceToHost));

    long pop = 0; unsigned long long h = 0;
    for (int i = 0; i < W * H; i++) { pop += world[i]; h = h * 31 + world[i]; }
    printf("generation %d: %ld alive, hash %016llx\n", (int)GENERATIONS, pop, h);
    printCorner(world);
    cudaFree(a); cudaFree(b);
    return 0;
}
