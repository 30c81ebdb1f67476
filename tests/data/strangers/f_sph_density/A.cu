// SPH-like particle heat exchange: density and diffusion over neighbours within h,
// neighbour search with linked lists per cell that are rebuilt after every move.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_SAFE(x) do { cudaError_t err_ = (x); if (err_ != cudaSuccess) { \
    std::printf("CUDA error '%s' at line %d\n", cudaGetErrorString(err_), __LINE__); std::exit(1); } } while (0)

struct Grid { float box, h; int nc; };      // nc cells per side, each at least h wide

__host__ __device__ inline int cellCoord(float v, const Grid& g)
{
    int c = (int)(v / g.box * g.nc);
    return c < 0 ? 0 : c >= g.nc ? g.nc - 1 : c;
}

__device__ inline float kernelW(float r2, float h2) { float d = 1.0f - r2 / h2; return d * d * d; }

__global__ void clearHeads(int* head, int cells)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cells) head[c] = -1;
}

__global__ void insertAll(const float3* pos, int n, Grid g, int* head, int* next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = (cellCoord(pos[i].z, g) * g.nc + cellCoord(pos[i].y, g)) * g.nc + cellCoord(pos[i].x, g);
    next[i] = atomicExch(&head[c], i);
}

// pass 0: rho, pass 1: heat exchange (needs rho of the neighbours)
__global__ void interact(const float3* pos, const float* temp, int n, Grid g, const int* head, const int* next,
                         float* rho, float* tempOut, float kappa, int pass)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float3 a = pos[i];
    const int cx = cellCoord(a.x, g), cy = cellCoord(a.y, g), cz = cellCoord(a.z, g);
    const float h2 = g.h * g.h;
    float sum = 0.0f;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, g.nc - 1); ++z)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, g.nc - 1); ++y)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, g.nc - 1); ++x)
                for (int j = head[(z * g.nc + y) * g.nc + x]; j >= 0; j = next[j]) {
                    float dx = a.x - pos[j].x, dy = a.y - pos[j].y, dz = a.z - pos[j].z;
                    float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 >= h2) continue;
                    float w = kernelW(r2, h2);
                    sum += pass == 0 ? w : w * (temp[j] - temp[i]) / rho[j];
                }
    if (pass == 0) rho[i] = sum;
    else tempOut[i] = temp[i] + kappa * sum;
}

__global__ void moveAll(float3* pos, const float3* vel, int n, float dt, float box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = pos[i], v = vel[i];
    p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
    if (p.x < 0 || p.x >= box) p.x -= 2 * dt * v.x;
    if (p.y < 0 || p.y >= box) p.y -= 2 * dt * v.y;
    if (p.z < 0 || p.z >= box) p.z -= 2 * dt * v.z;
    pos[i] = p;
}

int main()
{
    const int n = 7000, steps = 4;
    Grid g; g.box = 2.0f; g.h = 0.19f; g.nc = (int)(g.box / g.h);
    const int cells = g.nc * g.nc * g.nc;
    std::vector<float3> pos(n), vel(n); std::vector<float> temp(n), rho(n);
    unsigned s = 2463534242u;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (s >> 8) / 16777216.0f; };
    for (int i = 0; i < n; ++i) {
        pos[i].x = g.box * rnd(); pos[i].y = g.box * rnd() * rnd(); pos[i].z = g.box * rnd();
        vel[i].x = rnd() - 0.5f; vel[i].y = rnd() - 0.5f; vel[i].z = rnd() - 0.5f;
        temp[i] = pos[i].x < 0.7f ? 400.0f : 300.0f;
    }
    float3 *dPos, *dVel; float *dT, *dT2, *dRho; int *head, *next;
    CUDA_SAFE(cudaMalloc(&dPos, n * sizeof(float3)));
    CUDA_SAFE(cudaMalloc(&dVel, n * sizeof(float3)));
    CUDA_SAFE(cudaMalloc(&dT, n * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&dT2, n * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&dRho, n * sizeof(float)));
    CUDA_SAFE(cudaMalloc(&head, cells * sizeof(int)));
    CUDA_SAFE(cudaMalloc(&next, n * sizeof(int)));
    CUDA_SAFE(cudaMemcpy(dPos, pos.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemcpy(dVel, vel.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemcpy(dT, temp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const int B = 128, G = (n + B - 1) / B;
    for (int t = 0; t < steps; ++t) {
        clearHeads<<<(cells + B - 1) / B, B>>>(head, cells);
        insertAll<<<G, B>>>(dPos, n, g, head, next);
        interact<<<G, B>>>(dPos, dT, n, g, head, next, dRho, dT2, 0.2f, 0);
        interact<<<G, B>>>(dPos, dT, n, g, head, next, dRho, dT2, 0.2f, 1);
        float* tmp = dT; dT = dT2; dT2 = tmp;
        moveAll<<<G, B>>>(dPos, dVel, n, 0.02f, g.box);
    }
    CUDA_SAFE(cudaGetLastError());
    CUDA_SAFE(cudaMemcpy(temp.data(), dT, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_SAFE(cudaMemcpy(rho.data(), dRho, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sr = 0, st = 0, st2 = 0;
    for (int i = 0; i < n; ++i) { sr += rho[i]; st += temp[i]; st2 += (temp[i] - 350.0) * (temp[i] - 350.0); }
    std::printf("mean rho %.5f  mean T %.4f  spread %.3f\n", sr / n, st / n, st2 / n);
    std::printf("T[0..2] = %.3f %.3f %.3f\n", temp[0], temp[1], temp[2]);
    cudaFree(dPos); cudaFree(dVel); cudaFree(dT); cudaFree(dT2); cudaFree(dRho); cudaFree(head); cudaFree(next);
    return 0;
}
