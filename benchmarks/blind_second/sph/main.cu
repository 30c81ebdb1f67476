// SPH dam break (Mueller et al. 2003), neighbours through a uniform grid
// sph NX NY NZ STEPS : a block of NX*NY*NZ particles falls into a box twice as long
#include <stdio.h>
#include <stdlib.h>
#include "sph.h"

static void die(const char *where)
{
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: sph NX NY NZ STEPS\n");
        return 1;
    }
    int count[3] = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3])};
    int steps = atoi(argv[4]);
    int n = count[0] * count[1] * count[2];

    const float s = 0.02f;  // distance of particles
    Params P;
    P.h = 2 * s;
    P.restDensity = 1000;
    P.mass = P.restDensity * s * s * s;
    P.stiffness = 2;
    P.viscosity = 3;
    P.gravity = 9.81f;
    P.dt = 0.0005f;
    for (int a = 0; a < 3; a++) {
        P.box[a] = (count[a] + 1) * s;
        if (a == 0) P.box[a] *= 2;
        P.cells[a] = (int)(P.box[a] / P.h) + 1;
    }
    int cellCount = P.cells[0] * P.cells[1] * P.cells[2];

    Particle *particles = (Particle *)calloc(n, sizeof(Particle));
    unsigned int seed = 99;
    int i = 0;
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++)
            for (int x = 0; x < count[0]; x++, i++) {
                int at[3] = {x, y, z};
                for (int a = 0; a < 3; a++) {
                    seed = seed * 1664525u + 1013904223u;
                    float jitter = (seed >> 8) / 16777216.0f - 0.5f;
                    particles[i].pos[a] = (at[a] + 0.75f + 0.1f * jitter) * s;
                    seed = seed * 1664525u + 1013904223u;
                    particles[i].vel[a] = 0.2f * ((seed >> 8) / 16777216.0f - 0.5f);
                }
            }

    Particle *d_particles;
    int *d_head, *d_next;
    cudaMalloc(&d_particles, n * sizeof(Particle));
    cudaMalloc(&d_head, cellCount * sizeof(int));
    cudaMalloc(&d_next, n * sizeof(int));
    cudaMemcpy(d_particles, particles, n * sizeof(Particle), cudaMemcpyHostToDevice);
    die("setup");

    for (int t = 0; t < steps; t++) {
        buildGrid(d_particles, d_head, d_next, n, cellCount, P);
        computeDensity(d_particles, d_head, d_next, n, P);
        computeForces(d_particles, d_head, d_next, n, P);
        integrate(d_particles, n, P);
    }
    cudaDeviceSynchronize();
    die("simulation");

    cudaMemcpy(particles, d_particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    double density = 0, energy = 0, height = 0;
    for (i = 0; i < n; i++) {
        const float *v = particles[i].vel;
        density += particles[i].density;
        energy += 0.5 * P.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        height += particles[i].pos[1];
    }
    printf("%d particles, %d cells\n", n, cellCount);
    printf("mean density %.2f\n", density / n);
    printf("kinetic energy per particle %.4e\n", energy / n);
    printf("mean height %.5f\n", height / n);
    printf("density of particle %d: %.1f\n", n / 2, particles[n / 2].density);

    cudaFree(d_particles);
    cudaFree(d_head);
    cudaFree(d_next);
    free(particles);
    return 0;
}
