// Particles, stored as structs, are pushed by a field that is looked up in a table; the fast ones are counted.
#include <cstdio>
#include <vector>

struct Particle { float x, y, vx, vy, mass, charge, age, pad; };

__global__ void push(Particle* p, const float* field, int* fast, int n, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int step = 0; step < 4; ++step) {
        int cell = int(p[i].x) % cells;
        if (cell < 0) cell += cells;
        p[i].vx += field[cell] * p[i].charge / p[i].mass;
        p[i].x += p[i].vx * 0.125f;
        p[i].y += p[i].vy * 0.125f;
    }
    if (p[i].vx * p[i].vx + p[i].vy * p[i].vy > 1.0f) atomicAdd(fast, 1);
}

int main()
{
    const int n = 32768, cells = 64;
    std::vector<Particle> host(n);
    for (int i = 0; i < n; ++i) host[i] = {float(i % 64), 0.0f, float(i % 5) * 0.25f, 0.5f, 1.0f + float(i % 3), 1.0f, 0.0f, 0.0f};
    std::vector<float> table(cells);
    for (int c = 0; c < cells; ++c) table[c] = float(c % 9) * 0.0625f;
    Particle* p;
    float* field;
    int* fast;
    cudaMalloc(&p, n * sizeof(Particle));
    cudaMalloc(&field, cells * sizeof(float));
    cudaMalloc(&fast, sizeof(int));
    cudaMemcpy(p, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
    cudaMemcpy(field, table.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(fast, 0, sizeof(int));
    push<<<(n + 255) / 256, 256>>>(p, field, fast, n, cells);
    cudaMemcpy(host.data(), p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    int count = 0;
    cudaMemcpy(&count, fast, sizeof(int), cudaMemcpyDeviceToHost);
    double total = count;
    for (const Particle& one : host) total += one.x + one.y;
    printf("%f\n", total);
    return 0;
}
