// Lattice Boltzmann: a shear wave dies out in a periodic box.
// Arguments: width height steps
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include "lattice.h"

static bool good(cudaError_t e)
{
    if (e != cudaSuccess)
        printf("cuda says: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess;
}

static const float W[Q] = { 4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36 };
static const int CX[Q] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };

int main(int argc, char **argv)
{
    if (argc < 4)
    {
        printf("%s width height steps\n", argv[0]);
        return 1;
    }
    Box box;
    box.nx = atoi(argv[1]);
    box.ny = atoi(argv[2]);
    box.omega = 1.0f / 0.8f;
    int steps = atoi(argv[3]);
    size_t count = (size_t)box.nx * box.ny;

    std::vector<Cell> host(count);
    for (int y = 0; y < box.ny; y++)
    {
        float u = 0.05f * sinf(2.0f * 3.14159265f * y / box.ny);
        for (int x = 0; x < box.nx; x++)
        {
            float rho = 1.0f + 0.01f * ((x * 7 + y * 3) % 16) / 16.0f;
            for (int q = 0; q < Q; q++)
            {
                float cu = CX[q] * u;
                host[(size_t)y * box.nx + x].f[q] = W[q] * rho * (1 + 3 * cu + 4.5f * cu * cu - 1.5f * u * u);
            }
        }
    }

    Cell *a, *b;
    if (!good(cudaMalloc((void **)&a, count * sizeof(Cell)))) return 1;
    if (!good(cudaMalloc((void **)&b, count * sizeof(Cell)))) return 1;
    if (!good(cudaMemcpy(a, host.data(), count * sizeof(Cell), cudaMemcpyHostToDevice))) return 1;

    for (int t = 0; t < steps; t++)
    {
        collide(a, box);
        stream(a, b, box);
        Cell *swap = a;
        a = b;
        b = swap;
    }
    if (!good(cudaGetLastError())) return 1;
    if (!good(cudaDeviceSynchronize())) return 1;

    if (!good(cudaMemcpy(host.data(), a, count * sizeof(Cell), cudaMemcpyDeviceToHost))) return 1;

    double mass = 0, amplitude = 0;
    for (int y = 0; y < box.ny; y++)
        for (int x = 0; x < box.nx; x++)
        {
            const Cell &c = host[(size_t)y * box.nx + x];
            double rho = 0, px = 0;
            for (int q = 0; q < Q; q++)
            {
                rho += c.f[q];
                px += CX[q] * c.f[q];
            }
            mass += rho;
            amplitude += px * (y < box.ny / 2 ? 1 : -1);
        }
    printf("mass per cell %.6f, wave %.7f\n", mass / count, amplitude / count);

    cudaFree(a);
    cudaFree(b);
    return 0;
}
