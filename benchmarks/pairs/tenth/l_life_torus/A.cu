// Conway's life on a torus, byte cells, 2-D blocks
#include <cstdio>
#include <cstdint>
#include <vector>
#include <utility>
#include <stdexcept>
#include <cuda_runtime.h>

inline void must(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

__host__ __device__ inline uint8_t rule(int alive, int neighbours)
{
    return (neighbours == 3 || (alive && neighbours == 2)) ? 1 : 0;
}

__global__ void lifeStep(const uint8_t *in, uint8_t *out, int W, int H)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int xl = (x + W - 1) % W, xr = (x + 1) % W;
    int yu = (y + H - 1) % H, yd = (y + 1) % H;
    int n = in[yu * W + xl] + in[yu * W + x] + in[yu * W + xr]
          + in[y  * W + xl]                  + in[y  * W + xr]
          + in[yd * W + xl] + in[yd * W + x] + in[yd * W + xr];
    out[y * W + x] = rule(in[y * W + x], n);
}

class Torus {
public:
    Torus(int w, int h) : W(w), H(h)
    {
        must(cudaMalloc(&cur, (size_t)W * H));
        must(cudaMalloc(&nxt, (size_t)W * H));
    }
    ~Torus() { cudaFree(cur); cudaFree(nxt); }
    void load(const std::vector<uint8_t> &c) { must(cudaMemcpy(cur, c.data(), c.size(), cudaMemcpyHostToDevice)); }
    void store(std::vector<uint8_t> &c) { must(cudaMemcpy(c.data(), cur, c.size(), cudaMemcpyDeviceToHost)); }
    void evolve(int generations)
    {
        dim3 b(32, 8), g((W + 31) / 32, (H + 7) / 8);
        for (int i = 0; i < generations; i++) {
            lifeStep<<<g, b>>>(cur, nxt, W, H);
            must(cudaGetLastError());
            std::swap(cur, nxt);
        }
    }
private:
    int W, H;
    uint8_t *cur = nullptr, *nxt = nullptr;
};

int main()
{
    const int W = 330, H = 220, gens = 13;
    std::vector<uint8_t> cells(W * H);
    uint64_t s = 0x9E3779B97F4A7C15ull;
    for (auto &c : cells) {
        s ^= s >> 12; s ^= s << 25; s ^= s >> 27;
        c = ((s * 2685821657736338717ull) >> 61) < 3;
    }
    Torus t(W, H);
    t.load(cells);
    t.evolve(gens);
    t.store(cells);
    int alive = 0;
    uint32_t crc = 0;
    for (size_t i = 0; i < cells.size(); i++) { alive += cells[i]; crc = crc * 31 + cells[i] * (uint32_t)(i % 257 + 1); }
    printf("after %d generations: %d alive, crc %08x\n", gens, alive, crc);
    for (int y = 0; y < 12; y++) {
        for (int x = 0; x < 60; x++) putchar(cells[y * W + x] ? '#' : '.');
        putchar('\n');
    }
}
