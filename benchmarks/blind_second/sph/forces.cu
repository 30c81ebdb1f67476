#include "sph.h"

#define PI 3.14159265f

__global__ void forceKernel(Particle *particles, const int *head, const int *next, int n, Params P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle me = particles[i];

    float force[3] = {0, 0, 0};
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int x = cellCoord(P, me.pos[0], 0) + dx;
                int y = cellCoord(P, me.pos[1], 1) + dy;
                int z = cellCoord(P, me.pos[2], 2) + dz;
                if (x < 0 || y < 0 || z < 0 || x >= P.cells[0] || y >= P.cells[1] || z >= P.cells[2])
                    continue;
                for (int j = head[cellIndex(P, x, y, z)]; j != -1; j = next[j]) {
                    if (j == i) continue;
                    Particle other = particles[j];
                    float d[3];
                    for (int a = 0; a < 3; a++) d[a] = me.pos[a] - other.pos[a];
                    float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                    if (r >= P.h || r < 1e-9f) continue;
                    // pressure: gradient of the spiky kernel; viscosity: laplacian of its kernel
                    float spiky = 45.0f / (PI * powf(P.h, 6)) * powf(P.h - r, 2);
                    float lap = 45.0f / (PI * powf(P.h, 6)) * (P.h - r);
                    for (int a = 0; a < 3; a++) {
                        force[a] += P.mass * (me.pressure + other.pressure) / (2 * other.density) * spiky * d[a] / r;
                        force[a] += P.viscosity * P.mass * (other.vel[a] - me.vel[a]) / other.density * lap;
                    }
                }
            }

    for (int a = 0; a < 3; a++) particles[i].acc[a] = force[a] / me.density;
    particles[i].acc[1] -= P.gravity;
}

__global__ void integrateKernel(Particle *particles, int n, Params P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int a = 0; a < 3; a++) {
        particles[i].vel[a] += particles[i].acc[a] * P.dt;
        particles[i].pos[a] += particles[i].vel[a] * P.dt;
        if (particles[i].pos[a] < 0) {
            particles[i].pos[a] = 0;
            particles[i].vel[a] *= -0.5f;
        }
        if (particles[i].pos[a] > P.box[a]) {
            particles[i].pos[a] = P.box[a];
            particles[i].vel[a] *= -0.5f;
        }
    }
}

void computeForces(Particle *particles, const int *head, const int *next, int n, Params P)
{
    forceKernel<<<(n + 127) / 128, 128>>>(particles, head, next, n, P);
}

void integrate(Particle *particles, int n, Params P)
{
    integrateKernel<<<(n + 127) / 128, 128>>>(particles, n, P);
}
