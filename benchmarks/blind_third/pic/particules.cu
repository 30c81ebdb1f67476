#include "pic.h"

// dépôt de charge CIC (cloud in cell), un thread par particule
__global__ void kDepot(Particule *p, real *rho, int np, int nx, int ny)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= np) return;

    int i = (int)floor(p[k].x);
    int j = (int)floor(p[k].y);
    real fx = p[k].x - i;
    real fy = p[k].y - j;
    int i1 = (i + 1) % nx;
    int j1 = (j + 1) % ny;
    i = i % nx;
    j = j % ny;

    atomicAdd(&rho[j * nx + i],   p[k].q * (1 - fx) * (1 - fy));
    atomicAdd(&rho[j * nx + i1],  p[k].q * fx * (1 - fy));
    atomicAdd(&rho[j1 * nx + i],  p[k].q * (1 - fx) * fy);
    atomicAdd(&rho[j1 * nx + i1], p[k].q * fx * fy);
}

// interpolation du champ, saute-mouton, conditions périodiques
__global__ void kPousser(Particule *p, real *ex, real *ey, int np, int nx, int ny, real dt)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= np) return;

    int i = (int)floor(p[k].x);
    int j = (int)floor(p[k].y);
    real fx = p[k].x - i;
    real fy = p[k].y - j;
    int i1 = (i + 1) % nx;
    int j1 = (j + 1) % ny;
    i = i % nx;
    j = j % ny;

    real Ex = ex[j * nx + i] * (1 - fx) * (1 - fy) + ex[j * nx + i1] * fx * (1 - fy)
            + ex[j1 * nx + i] * (1 - fx) * fy + ex[j1 * nx + i1] * fx * fy;
    real Ey = ey[j * nx + i] * (1 - fx) * (1 - fy) + ey[j * nx + i1] * fx * (1 - fy)
            + ey[j1 * nx + i] * (1 - fx) * fy + ey[j1 * nx + i1] * fx * fy;

    // rapport q/m = -1 pour tous
    p[k].vx -= Ex * dt;
    p[k].vy -= Ey * dt;
    p[k].x += p[k].vx * dt;
    p[k].y += p[k].vy * dt;
    if (p[k].x < 0)   p[k].x += nx;
    if (p[k].x >= nx) p[k].x -= nx;
    if (p[k].y < 0)   p[k].y += ny;
    if (p[k].y >= ny) p[k].y -= ny;
}

// énergie cinétique : somme par bloc puis sur l'hôte
__global__ void kEnergie(Particule *p, double *tampon, int np)
{
    __shared__ double s[256];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x;
    s[t] = 0;
    if (k < np)
        s[t] = 0.5 * (p[k].vx * p[k].vx + p[k].vy * p[k].vy);
    __syncthreads();
    for (int pas = 1; pas < blockDim.x; pas *= 2) {
        if (t % (2 * pas) == 0)
            s[t] += s[t + pas];
        __syncthreads();
    }
    if (t == 0)
        tampon[blockIdx.x] = s[0];
}

void depot(Particule *p, real *rho, int np, int nx, int ny)
{
    CUDA(cudaMemset(rho, 0, nx * ny * sizeof(real)));
    kDepot<<<(np + 255) / 256, 256>>>(p, rho, np, nx, ny);
    CUDA(cudaGetLastError());
}

void pousser(Particule *p, real *ex, real *ey, int np, int nx, int ny, real dt)
{
    kPousser<<<(np + 255) / 256, 256>>>(p, ex, ey, np, nx, ny, dt);
    CUDA(cudaGetLastError());
}

double energieCinetique(Particule *p, double *tampon, int np)
{
    int nb = (np + 255) / 256;
    kEnergie<<<nb, 256>>>(p, tampon, np);
    CUDA(cudaGetLastError());
    double *h = (double *)malloc(nb * sizeof(double));
    CUDA(cudaMemcpy(h, tampon, nb * sizeof(double), cudaMemcpyDeviceToHost));
    double e = 0;
    for (int i = 0; i < nb; i++) e += h[i];
    free(h);
    return e;
}
