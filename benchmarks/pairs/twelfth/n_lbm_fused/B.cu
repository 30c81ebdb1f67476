// D2Q9 lattice Boltzmann (BGK), periodic box with solid obstacles (half-way bounce-back).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SAFE(call)                                                     \
    do {                                                               \
        cudaError_t s_ = (call);                                       \
        if (s_ != cudaSuccess) {                                       \
            fprintf(stderr, "%s (%s)\n", cudaGetErrorString(s_), #call); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

__device__ __forceinline__ void relaxInto(float (&v)[9], float omega, float fx)
{
    constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    constexpr int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    constexpr float wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    float rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int d = 0; d < 9; ++d) {
        rho += v[d];
        ux += v[d] * cx[d];
        uy += v[d] * cy[d];
    }
    ux = ux / rho + fx;
    uy = uy / rho;
    const float usq = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int d = 0; d < 9; ++d) {
        const float cu = 3.0f * (cx[d] * ux + cy[d] * uy);
        const float feq = wt[d] * rho * (1.0f + cu + 0.5f * cu * cu - usq);
        v[d] = v[d] + omega * (feq - v[d]);
    }
}

// Collision and streaming in one pass: a cell relaxes its populations in registers and pushes
// them to its neighbours in the other lattice; where a neighbour is solid the population comes
// back into the opposite direction of the cell itself. Every slot of a fluid cell is written
// exactly once; solid cells carry their populations over.
// populations are stored direction by direction: f[d * n + cell]
__global__ void __launch_bounds__(128)
collideStream(const float* __restrict__ f, float* __restrict__ g, const unsigned char* __restrict__ solid,
              int nx, int ny, float omega, float fx)
{
    constexpr int opp[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    constexpr int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int n = nx * ny;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;

    float v[9];
#pragma unroll
    for (int d = 0; d < 9; ++d) v[d] = f[d * n + c];
    if (solid[c]) {
#pragma unroll
        for (int d = 0; d < 9; ++d) g[d * n + c] = v[d];
        return;
    }
    relaxInto(v, omega, fx);

    const int y = c / nx, x = c - y * nx;
    const int xs[3] = {x == 0 ? nx - 1 : x - 1, x, x == nx - 1 ? 0 : x + 1};
    const int ys[3] = {y == 0 ? ny - 1 : y - 1, y, y == ny - 1 ? 0 : y + 1};
#pragma unroll
    for (int d = 0; d < 9; ++d) {
        const int t = ys[cy[d] + 1] * nx + xs[cx[d] + 1];
        if (solid[t])
            g[opp[d] * n + c] = v[d];
        else
            g[d * n + t] = v[d];
    }
}

int main()
{
    const int nx = 190, ny = 90, n = nx * ny, steps = 40;
    const float omega = 1.25f, force = 2e-4f;
    std::vector<unsigned char> solid(n, 0);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            int dx = x - 50, dy = y - 44;
            if (dx * dx + dy * dy < 110) solid[y * nx + x] = 1;
            if (y == 0 || (x > 120 && x < 126 && y > 30 && y < 60)) solid[y * nx + x] = 1;
        }
    const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    std::vector<float> f(9 * n);
    for (int d = 0; d < 9; ++d)
        for (int c = 0; c < n; ++c)
            f[d * n + c] = solid[c] ? 0.f : w[d] * (1.f + 0.01f * ((c * 13 + d * 7) % 19) / 19.f);

    float *df, *dp;
    unsigned char* ds;
    SAFE(cudaMalloc(&df, 9 * n * sizeof(float)));
    SAFE(cudaMalloc(&dp, 9 * n * sizeof(float)));
    SAFE(cudaMalloc(&ds, n));
    SAFE(cudaMemcpy(df, f.data(), 9 * n * sizeof(float), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(ds, solid.data(), n, cudaMemcpyHostToDevice));

    const int tb = 128, gb = (n + tb - 1) / tb;
    for (int s = 0; s < steps; ++s) {
        collideStream<<<gb, tb>>>(df, dp, ds, nx, ny, omega, force);
        float* t = df;
        df = dp;
        dp = t;
    }
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy(f.data(), df, 9 * n * sizeof(float), cudaMemcpyDeviceToHost));

    double mass = 0, mom = 0;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    for (int d = 0; d < 9; ++d)
        for (int c = 0; c < n; ++c) { mass += f[d * n + c]; mom += cx[d] * (double)f[d * n + c]; }
    printf("mass %.3f  momentum %.5f\n", mass, mom);
    for (int c = n / 8; c < n; c += n / 4) printf("cell %d: %.5f %.5f %.5f\n", c, f[c], f[n + c], f[3 * n + c]);
    SAFE(cudaFree(df)); SAFE(cudaFree(dp)); SAFE(cudaFree(ds));
    return 0;
}
