#include "bn.h"

// dgamma = somme(dy * xchapeau), dbeta = somme(dy)
__global__ void gradParametres(const float *x, const float *dy, const float *moyenne, const float *variance, float *dgamma,
                               float *dbeta, Forme f)
{
    __shared__ float sg[NTHREADS];
    __shared__ float sb[NTHREADS];
    int c = blockIdx.x;
    int taille = f.h * f.w;
    sg[threadIdx.x] = 0;
    sb[threadIdx.x] = 0;
    for (int n = 0; n < f.n; n++)
        for (int i = threadIdx.x; i < taille; i += NTHREADS) {
            int j = (n * f.c + c) * taille + i;
            sg[threadIdx.x] += dy[j] * (x[j] - moyenne[c]) / sqrt(variance[c] + EPS);
            sb[threadIdx.x] += dy[j];
        }
    __syncthreads();
    // le premier thread additionne tout
    if (threadIdx.x == 0) {
        float g = 0, b = 0;
        for (int k = 0; k < NTHREADS; k++) {
            g += sg[k];
            b += sb[k];
        }
        dgamma[c] = g;
        dbeta[c] = b;
    }
}

__global__ void gradEntree(const float *x, const float *dy, const float *gamma, const float *moyenne, const float *variance,
                           const float *dgamma, const float *dbeta, float *dx, Forme f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = f.n * f.c * f.h * f.w;
    if (i < total) {
        int c = i / (f.h * f.w) % f.c;
        int m = f.n * f.h * f.w;
        float ecart = sqrt(variance[c] + EPS);
        float xc = (x[i] - moyenne[c]) / ecart;
        dx[i] = gamma[c] / (m * ecart) * (m * dy[i] - dbeta[c] - xc * dgamma[c]);
    }
}

void arriere(const float *x, const float *dy, const float *gamma, const float *moyenne, const float *variance, float *dgamma,
             float *dbeta, float *dx, Forme f)
{
    int total = f.n * f.c * f.h * f.w;
    gradParametres<<<f.c, NTHREADS>>>(x, dy, moyenne, variance, dgamma, dbeta, f);
    gradEntree<<<(total + NTHREADS - 1) / NTHREADS, NTHREADS>>>(x, dy, gamma, moyenne, variance, dgamma, dbeta, dx, f);
    VERIF(cudaGetLastError());
}
