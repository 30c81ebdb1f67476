#ifndef SPH_H
#define SPH_H

#include <cuda_runtime.h>

struct Particle {
    float pos[3];
    float vel[3];
    float acc[3];
    float density;
    float pressure;
};

struct Params {
    float h;            // smoothing length = size of a cell
    float mass;
    float restDensity;
    float stiffness;
    float viscosity;
    float gravity;
    float dt;
    float box[3];       // the fluid lives in [0, box]
    int cells[3];
};

// cell coordinate along one axis
__device__ inline int cellCoord(const Params &P, float x, int axis)
{
    int c = (int)(x / P.h);
    if (c < 0) c = 0;
    if (c >= P.cells[axis]) c = P.cells[axis] - 1;
    return c;
}

__device__ inline int cellIndex(const Params &P, int cx, int cy, int cz)
{
    return (cz * P.cells[1] + cy) * P.cells[0] + cx;
}

// grid.cu
void buildGrid(const Particle *particles, int *head, int *next, int n, int cellCount, Params P);
// density.cu
void computeDensity(Particle *particles, const int *head, const int *next, int n, Params P);
// forces.cu
void computeForces(Particle *particles, const int *head, const int *next, int n, Params P);
void integrate(Particle *particles, int n, Params P);

#endif
