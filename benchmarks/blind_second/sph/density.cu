#include "sph.h"

__global__ void densityKernel(Particle *particles, const int *head, const int *next, int n, Params P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle me = particles[i];

    float sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int x = cellCoord(P, me.pos[0], 0) + dx;
                int y = cellCoord(P, me.pos[1], 1) + dy;
                int z = cellCoord(P, me.pos[2], 2) + dz;
                if (x < 0 || y < 0 || z < 0 || x >= P.cells[0] || y >= P.cells[1] || z >= P.cells[2])
                    continue;
                for (int j = head[cellIndex(P, x, y, z)]; j != -1; j = next[j]) {
                    Particle other = particles[j];
                    float rx = me.pos[0] - other.pos[0];
                    float ry = me.pos[1] - other.pos[1];
                    float rz = me.pos[2] - other.pos[2];
                    float r2 = rx * rx + ry * ry + rz * rz;
                    if (r2 < P.h * P.h) {
                        // poly6
                        sum += P.mass * 315.0f / (64.0f * 3.14159265f * powf(P.h, 9)) * powf(P.h * P.h - r2, 3);
                    }
                }
            }

    particles[i].density = sum;
    particles[i].pressure = fmaxf(0.0f, P.stiffness * (sum - P.restDensity));
}

void computeDensity(Particle *particles, const int *head, const int *next, int n, Params P)
{
    densityKernel<<<(n + 127) / 128, 128>>>(particles, head, next, n, P);
}
