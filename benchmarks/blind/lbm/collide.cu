#include "lattice.h"

__constant__ int   cx[Q] = { 0, 1, 0, -1,  0, 1, -1, -1,  1 };
__constant__ int   cy[Q] = { 0, 0, 1,  0, -1, 1,  1, -1, -1 };
__constant__ float wt[Q] = { 4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36 };

// BGK: every population moves towards equilibrium
__global__ void collide_kernel(Cell *cells, Box box)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= box.nx || y >= box.ny)
        return;

    Cell c = cells[y * box.nx + x];

    float rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < Q; q++)
    {
        rho += c.f[q];
        ux += cx[q] * c.f[q];
        uy += cy[q] * c.f[q];
    }
    ux /= rho;
    uy /= rho;
    float uu = ux * ux + uy * uy;

    for (int q = 0; q < Q; q++)
    {
        float cu = cx[q] * ux + cy[q] * uy;
        float feq = wt[q] * rho * (1.f + 3.f * cu + 4.5f * cu * cu - 1.5f * uu);
        c.f[q] += box.omega * (feq - c.f[q]);
    }
    cells[y * box.nx + x] = c;
}

void collide(Cell *cells, const Box &box)
{
    dim3 block(32, 4);
    dim3 grid((box.nx + 31) / 32, (box.ny + 3) / 4);
    collide_kernel<<<grid, block>>>(cells, box);
}
