// Conway's Game of Life, one byte per cell, torus.
// Version 1 reads its eight neighbours from global memory, version 2 keeps
// a byte tile (with halo) in shared memory.
#include <iostream>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

using cell = unsigned char;
constexpr int WIDTH  = 604;
constexpr int HEIGHT = 398;
constexpr int TX = 32, TY = 8;

__global__ void lifeNaive(const cell *src, cell *dst, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    const int xl = (x == 0) ? w - 1 : x - 1;
    const int xr = (x == w - 1) ? 0 : x + 1;
    const int yu = ((y == 0) ? h - 1 : y - 1) * w;
    const int yd = ((y == h - 1) ? 0 : y + 1) * w;
    const int yc = y * w;

    int n = 0;
    n += src[yu + xl];
    n += src[yu + x];
    n += src[yu + xr];
    n += src[yc + xl];
    n += src[yc + xr];
    n += src[yd + xl];
    n += src[yd + x];
    n += src[yd + xr];

    const cell me = src[yc + x];
    dst[yc + x] = (n == 3) || (n == 2 && me);
}

__global__ void lifeTiled(const cell *__restrict__ src, cell *__restrict__ dst,
                          int w, int h)
{
    __shared__ cell tile[TY + 2][TX + 2];

    const int x0 = blockIdx.x * TX - 1;
    const int y0 = blockIdx.y * TY - 1;
    for (int k = threadIdx.y * TX + threadIdx.x; k < (TX + 2) * (TY + 2); k += TX * TY) {
        const int ty = k / (TX + 2);
        const int tx = k - ty * (TX + 2);
        const int gx = (x0 + tx + w) % w;
        const int gy = (y0 + ty + h) % h;
        const cell v = src[gy * w + gx];
        tile[ty][tx] = v;
    }
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x;
    const int y = blockIdx.y * TY + threadIdx.y;
    if (x < w && y < h) {
        const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
        int n = 0;
        for (int dy = -1; dy <= 1; ++dy) {
            n += tile[ly + dy][lx - 1];
            n += tile[ly + dy][lx];
            n += tile[ly + dy][lx + 1];
        }
        const cell me = tile[ly][lx];
        n -= me;
        dst[y * w + x] = (n == 3) | ((n == 2) & me);
    }
}

int main()
{
    std::vector<cell> world(WIDTH * HEIGHT);
    unsigned seed = 7;
    for (cell &c : world) {
        seed = seed * 1103515245u + 12345u;
        c = (seed >> 16) % 10 < 4;
    }
    cell *a = nullptr, *b = nullptr;
    cudaMalloc(&a, world.size());
    cudaMalloc(&b, world.size());
    cudaMemcpy(a, world.data(), world.size(), cudaMemcpyHostToDevice);

    dim3 blk1(16, 16), grd1((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    for (int gen = 0; gen < 2; ++gen) {
        lifeNaive<<<grd1, blk1>>>(a, b, WIDTH, HEIGHT);
        std::swap(a, b);
    }
    dim3 blk2(TX, TY), grd2((WIDTH + TX - 1) / TX, (HEIGHT + TY - 1) / TY);
    for (int gen = 0; gen < 2; ++gen) {
        lifeTiled<<<grd2, blk2>>>(a, b, WIDTH, HEIGHT);
        std::swap(a, b);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::cerr << "kernel failed\n";
        return 1;
    }
    cudaMemcpy(world.data(), a, world.size(), cudaMemcpyDeviceToHost);
    unsigned long long alive = 0, hash = 1469598103934665603ULL;
    for (cell c : world) {
        alive += c;
        hash = (hash ^ c) * 1099511628211ULL;
    }
    std::cout << "alive " << alive << " hash " << hash << std::endl;
    cudaFree(a);
    cudaFree(b);
}
