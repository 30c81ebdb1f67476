#include "pic.h"

// un balayage de Jacobi pour  -laplacien(phi) = rho + fond
__global__ void kJacobi(real *rho, real *phi, real *nouveau, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    int g = (i + nx - 1) % nx, d = (i + 1) % nx;
    int b = (j + ny - 1) % ny, h = (j + 1) % ny;
    // les ions fixes neutralisent : fond = +1 par cellule
    nouveau[j * nx + i] = 0.25 * (phi[j * nx + g] + phi[j * nx + d] + phi[b * nx + i] + phi[h * nx + i] + rho[j * nx + i] + 1.0);
}

// E = -grad(phi), différences centrées
__global__ void kChamp(real *phi, real *ex, real *ey, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    int g = (i + nx - 1) % nx, d = (i + 1) % nx;
    int b = (j + ny - 1) % ny, h = (j + 1) % ny;
    ex[j * nx + i] = (phi[j * nx + g] - phi[j * nx + d]) / 2.0;
    ey[j * nx + i] = (phi[b * nx + i] - phi[h * nx + i]) / 2.0;
}

void poisson(real *rho, real *phi, real *phi2, int nx, int ny)
{
    dim3 bloc(8, 8), grille((nx + 7) / 8, (ny + 7) / 8);
    // nombre pair de balayages : le résultat est dans phi
    for (int s = 0; s < NSWEEP; s += 2) {
        kJacobi<<<grille, bloc>>>(rho, phi, phi2, nx, ny);
        kJacobi<<<grille, bloc>>>(rho, phi2, phi, nx, ny);
    }
    CUDA(cudaGetLastError());
}

void champ(real *phi, real *ex, real *ey, int nx, int ny)
{
    dim3 bloc(8, 8), grille((nx + 7) / 8, (ny + 7) / 8);
    kChamp<<<grille, bloc>>>(phi, ex, ey, nx, ny);
    CUDA(cudaGetLastError());
}
