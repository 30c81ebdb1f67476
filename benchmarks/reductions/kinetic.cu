#include <cstdio>
#include <cstdlib>
#include <vector>
#define BLOCKSIZE 192
#define RUN(kernel, grid, ...) do { kernel<<<grid, BLOCKSIZE>>>(__VA_ARGS__); if (cudaGetLastError() != cudaSuccess) return 2; } while (0)
struct Body { double vx, vy, vz, m; };

__device__ inline double kinetic(const Body &b) { return 0.5 * b.m * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz); }

__global__ void drift(Body *bodies, double dt, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) bodies[i].vx += dt * bodies[i].vy;
}

__global__ void energy(const Body *bodies, double *total, int *fastest, int n)
{
    double mine = 0.0;
    int best = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        mine += kinetic(bodies[i]);
        int speed = (int)(1000 * bodies[i].vx);
        if (speed > best) best = speed;
    }
    atomicAdd(total, mine);
    atomicMax(fastest, best);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40009;
    std::vector<Body> bodies(n);
    for (int i = 0; i < n; i++) bodies[i] = Body{i % 7 * 0.1, i % 11 * 0.2, i % 3 * 0.3, 1.0 + i % 5};
    Body *d; double *e; int *f;
    cudaMalloc(&d, n * sizeof(Body)); cudaMalloc(&e, 8); cudaMalloc(&f, 4);
    cudaMemset(e, 0, 8); cudaMemset(f, 0, 4);
    cudaMemcpy(d, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    RUN(drift, 64, d, 0.01, n);
    RUN(energy, 64, d, e, f, n);
    double he; int hf;
    cudaMemcpy(&he, e, 8, cudaMemcpyDeviceToHost); cudaMemcpy(&hf, f, 4, cudaMemcpyDeviceToHost);
    printf("energy %.6f fastest %d\n", he, hf);
    return 0;
}
