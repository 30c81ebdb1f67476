#include "lattice.h"

// every population moves on to the neighbour it points at; the box is periodic
__global__ void stream_kernel(const Cell *from, Cell *to, Box box)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= box.nx || y >= box.ny)
        return;

    int e = (x + 1) % box.nx;
    int w = (x + box.nx - 1) % box.nx;
    int n = (y + 1) % box.ny;
    int s = (y + box.ny - 1) % box.ny;
    int nx = box.nx;

    const Cell &c = from[y * nx + x];
    to[y * nx + x].f[0] = c.f[0];
    to[y * nx + e].f[1] = c.f[1];
    to[n * nx + x].f[2] = c.f[2];
    to[y * nx + w].f[3] = c.f[3];
    to[s * nx + x].f[4] = c.f[4];
    to[n * nx + e].f[5] = c.f[5];
    to[n * nx + w].f[6] = c.f[6];
    to[s * nx + w].f[7] = c.f[7];
    to[s * nx + e].f[8] = c.f[8];
}

void stream(const Cell *from, Cell *to, const Box &box)
{
    dim3 block(32, 4);
    dim3 grid((box.nx + 31) / 32, (box.ny + 3) / 4);
    stream_kernel<<<grid, block>>>(from, to, box);
}
