// Transient heat conduction on a plate with embedded heaters (cells of prescribed temperature).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct Plate {
    int nx, ny;
    float k;          // alpha*dt/h^2
};

__global__ void relax(const float* u, float* v, const unsigned char* held, Plate p)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.nx || y >= p.ny) return;
    int i = y * p.nx + x;
    float c = u[i];
    bool rim = x == 0 || y == 0 || x == p.nx - 1 || y == p.ny - 1;
    if (rim || held[i]) {
        v[i] = c;
        return;
    }
    float lap = u[i - 1] + u[i + 1] + u[i - p.nx] + u[i + p.nx] - 4.0f * c;
    v[i] = c + p.k * lap;
}

static void advance(float*& a, float*& b, const unsigned char* held, Plate p, int steps)
{
    dim3 blk(32, 8);
    dim3 grd((p.nx + 31) / 32, (p.ny + 7) / 8);
    for (int s = 0; s < steps; ++s) {
        relax<<<grd, blk>>>(a, b, held, p);
        CK(cudaGetLastError());
        std::swap(a, b);
    }
}

int main()
{
    Plate p{250, 203, 0.21f};
    const int n = p.nx * p.ny;
    const int steps = 31;

    std::vector<float> u(n);
    std::vector<unsigned char> held(n, 0);
    for (int y = 0; y < p.ny; ++y)
        for (int x = 0; x < p.nx; ++x) {
            u[y * p.nx + x] = 20.0f + 0.02f * (float)((x * 7 + y * 13) % 50);
        }
    // six heater pads, three rows of two
    const int pads[6][2] = {{40, 22}, {136, 22}, {72, 86}, {168, 86}, {40, 150}, {200, 150}};
    for (auto& q : pads)
        for (int dy = 0; dy < 5; ++dy)
            for (int dx = 0; dx < 12; ++dx) {
                int i = (q[1] + dy) * p.nx + q[0] + dx;
                held[i] = 1;
                u[i] = 180.0f + 5.0f * (float)(dy + dx % 3);
            }

    float *da, *db;
    unsigned char* dh;
    CK(cudaMalloc(&da, n * sizeof(float)));
    CK(cudaMalloc(&db, n * sizeof(float)));
    CK(cudaMalloc(&dh, n));
    CK(cudaMemcpy(da, u.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dh, held.data(), n, cudaMemcpyHostToDevice));

    advance(da, db, dh, p, steps);
    CK(cudaMemcpy(u.data(), da, n * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    float hot = 0;
    for (float t : u) { sum += t; if (t > hot) hot = t; }
    printf("mean %.6f  max %.3f  centre %.5f\n", sum / n, hot, u[(p.ny / 2) * p.nx + p.nx / 2]);
    for (int x = 0; x < p.nx; x += 25) printf("%.4f ", u[88 * p.nx + x]);
    printf("\n");
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dh));
    return 0;
}
