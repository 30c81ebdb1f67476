// kernel=integrate line=17 finding=KO106
#include <cstdio>

typedef float real;
struct Particle { real mass; float3 velocity; };

__global__ void clear(float4 *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = make_float4(0, 0, 0, 0);
}

__global__ void integrate(float4 *positions, const Particle *particles, float *energy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 p = positions[i];
        const real m = particles[i].mass;
        p.x = p.x + 0.5 * m;
        p.y += m > 0.0 ? 0.25 * m : 0.0;
        positions[i] = make_float4(p.x, p.y, p.z * 2.0, i / 4.0);
        atomicAdd(&energy[0], 0.5 * m);
    }
}

int main() {
    const int n = 96;
    float4 *positions;
    Particle *particles;
    float *energy;
    cudaMallocManaged(&positions, n * sizeof(float4));
    cudaMallocManaged(&particles, n * sizeof(Particle));
    cudaMallocManaged(&energy, sizeof(float));
    *energy = 0;
    for (int i = 0; i < n; ++i) particles[i].mass = 2;
    dim3 block(32);
    dim3 grid((n + block.x - 1) / block.x);
    clear<<<grid, block>>>(positions, n);
    for (int pass = 0; pass < 2; ++pass) integrate<<<grid, block>>>(positions, particles, energy, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        if (positions[i].x != 2 || positions[i].y != 1 || positions[i].w != i / 4.0f) return puts("FAIL"), 1;
    if (*energy != 2 * n) return puts("FAIL energy"), 1;
    puts("PASS");
}
