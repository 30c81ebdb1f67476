// Softened gravitational N-body, leapfrog (kick-drift), all pairs.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CK(call)                                                              \
    do {                                                                      \
        cudaError_t e_ = (call);                                              \
        if (e_ != cudaSuccess) {                                              \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                 \
                    cudaGetErrorString(e_));                                  \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

struct Bodies {
    float *x, *y, *z, *m;
    float *vx, *vy, *vz;
};

static const int BLOCK = 128;

__global__ void kick(Bodies b, int n, float eps2, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float xi = b.x[i], yi = b.y[i], zi = b.z[i];
    float ax = 0.f, ay = 0.f, az = 0.f;
    for (int j = 0; j < n; ++j) {
        float dx = b.x[j] - xi;
        float dy = b.y[j] - yi;
        float dz = b.z[j] - zi;
        float r2 = dx * dx + dy * dy + dz * dz + eps2;
        float inv = 1.0f / sqrtf(r2);
        float s = b.m[j] * inv * inv * inv;
        ax += s * dx;
        ay += s * dy;
        az += s * dz;
    }
    b.vx[i] += dt * ax;
    b.vy[i] += dt * ay;
    b.vz[i] += dt * az;
}

__global__ void drift(Bodies b, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b.x[i] += dt * b.vx[i];
    b.y[i] += dt * b.vy[i];
    b.z[i] += dt * b.vz[i];
}

static unsigned lcg(unsigned &s) { s = s * 1664525u + 1013904223u; return s; }
static float rnd(unsigned &s) { return (lcg(s) >> 8) * (1.0f / 16777216.0f); }

int main()
{
    const int n = 2048;
    const int steps = 3;
    const float dt = 0.01f, eps2 = 0.0025f;

    std::vector<float> h[7];
    for (auto &v : h) v.resize(n);
    unsigned s = 20240u;
    for (int i = 0; i < n; ++i) {
        float r = 0.2f + rnd(s), ph = 6.2831853f * rnd(s);
        h[0][i] = r * cosf(ph);
        h[1][i] = r * sinf(ph);
        h[2][i] = 0.1f * (rnd(s) - 0.5f);
        h[3][i] = (0.5f + rnd(s)) / n;
        h[4][i] = -sinf(ph) * sqrtf(1.0f / r);
        h[5][i] = cosf(ph) * sqrtf(1.0f / r);
        h[6][i] = 0.f;
    }

    Bodies b;
    float **ptr[7] = {&b.x, &b.y, &b.z, &b.m, &b.vx, &b.vy, &b.vz};
    for (int k = 0; k < 7; ++k) {
        CK(cudaMalloc(ptr[k], n * sizeof(float)));
        CK(cudaMemcpy(*ptr[k], h[k].data(), n * sizeof(float), cudaMemcpyHostToDevice));
    }

    int grid = (n + BLOCK - 1) / BLOCK;
    for (int t = 0; t < steps; ++t) {
        kick<<<grid, BLOCK>>>(b, n, eps2, dt);
        drift<<<grid, BLOCK>>>(b, n, dt);
    }
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    for (int k = 0; k < 7; ++k)
        CK(cudaMemcpy(h[k].data(), *ptr[k], n * sizeof(float), cudaMemcpyDeviceToHost));

    double ek = 0, px = 0, py = 0, r2 = 0;
    for (int i = 0; i < n; ++i) {
        ek += 0.5 * h[3][i] * (h[4][i] * h[4][i] + h[5][i] * h[5][i] + h[6][i] * h[6][i]);
        px += h[3][i] * h[4][i];
        py += h[3][i] * h[5][i];
        r2 += h[0][i] * h[0][i] + h[1][i] * h[1][i];
    }
    printf("Ekin %.6f  p=(%.6f, %.6f)  <r2> %.6f\n", ek, px, py, r2 / n);
    for (int i = 0; i < n; i += n / 4)
        printf("body %4d: %.5f %.5f %.5f\n", i, h[0][i], h[1][i], h[2][i]);
    for (int k = 0; k < 7; ++k) CK(cudaFree(*ptr[k]));
    return 0;
}
