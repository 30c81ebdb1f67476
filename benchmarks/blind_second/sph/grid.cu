#include "sph.h"

// linked list of particles per cell: head[cell] -> next[] -> next[] -> -1

__global__ void clearCells(int *head, int cellCount)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cellCount) head[c] = -1;
}

__global__ void insertParticles(const Particle *particles, int *head, int *next, int n, Params P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = cellIndex(P, cellCoord(P, particles[i].pos[0], 0), cellCoord(P, particles[i].pos[1], 1), cellCoord(P, particles[i].pos[2], 2));
    next[i] = atomicExch(&head[c], i);
}

void buildGrid(const Particle *particles, int *head, int *next, int n, int cellCount, Params P)
{
    clearCells<<<(cellCount + 255) / 256, 256>>>(head, cellCount);
    insertParticles<<<(n + 255) / 256, 256>>>(particles, head, next, n, P);
}
