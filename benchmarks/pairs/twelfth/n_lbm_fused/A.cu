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

__constant__ int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int OPP[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float WT[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

// populations are stored direction by direction: f[d * n + cell]
__global__ void collide(const float* f, float* post, const unsigned char* solid, int n, float omega, float fx)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    if (solid[c]) {
        for (int d = 0; d < 9; ++d) post[d * n + c] = f[d * n + c];
        return;
    }
    float rho = 0, ux = 0, uy = 0;
    for (int d = 0; d < 9; ++d) {
        float v = f[d * n + c];
        rho += v;
        ux += v * CX[d];
        uy += v * CY[d];
    }
    ux = ux / rho + fx;
    uy = uy / rho;
    float usq = 1.5f * (ux * ux + uy * uy);
    for (int d = 0; d < 9; ++d) {
        float cu = 3.0f * (CX[d] * ux + CY[d] * uy);
        float feq = WT[d] * rho * (1.0f + cu + 0.5f * cu * cu - usq);
        float v = f[d * n + c];
        post[d * n + c] = v + omega * (feq - v);
    }
}

__global__ void stream(const float* post, float* f, const unsigned char* solid, int nx, int ny)
{
    int n = nx * ny;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    if (solid[c]) return;                 // solid cells keep their populations
    int x = c % nx, y = c / nx;
    for (int d = 0; d < 9; ++d) {
        int sx = (x - CX[d] + nx) % nx;
        int sy = (y - CY[d] + ny) % ny;
        int s = sy * nx + sx;
        f[d * n + c] = solid[s] ? post[OPP[d] * n + c] : post[d * n + s];
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
        collide<<<gb, tb>>>(df, dp, ds, n, omega, force);
        stream<<<gb, tb>>>(dp, df, ds, nx, ny);
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
