#include "bn.h"

// moyenne par canal : un bloc par canal
__global__ void calculeMoyenne(const float *x, float *moyenne, Forme f)
{
    __shared__ float s[NTHREADS];
    int c = blockIdx.x;
    int taille = f.h * f.w;
    float somme = 0;
    for (int n = 0; n < f.n; n++)
        for (int i = threadIdx.x; i < taille; i += NTHREADS)
            somme += x[(n * f.c + c) * taille + i];
    s[threadIdx.x] = somme;
    __syncthreads();
    for (int k = NTHREADS / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) moyenne[c] = s[0] / (f.n * taille);
}

// variance par canal, la moyenne est deja connue
__global__ void calculeVariance(const float *x, const float *moyenne, float *variance, Forme f)
{
    __shared__ float s[NTHREADS];
    int c = blockIdx.x;
    int taille = f.h * f.w;
    float somme = 0;
    for (int n = 0; n < f.n; n++)
        for (int i = threadIdx.x; i < taille; i += NTHREADS) {
            float d = x[(n * f.c + c) * taille + i] - moyenne[c];
            somme += d * d;
        }
    s[threadIdx.x] = somme;
    __syncthreads();
    for (int k = NTHREADS / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) variance[c] = s[0] / (f.n * taille);
}

__global__ void normalise(const float *x, const float *gamma, const float *beta, const float *moyenne, const float *variance,
                          float *y, Forme f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = f.n * f.c * f.h * f.w;
    if (i < total) {
        int c = i / (f.h * f.w) % f.c;
        y[i] = gamma[c] * (x[i] - moyenne[c]) / sqrt(variance[c] + EPS) + beta[c];
    }
}

void avant(const float *x, const float *gamma, const float *beta, float *moyenne, float *variance, float *y, Forme f)
{
    int total = f.n * f.c * f.h * f.w;
    calculeMoyenne<<<f.c, NTHREADS>>>(x, moyenne, f);
    calculeVariance<<<f.c, NTHREADS>>>(x, moyenne, variance, f);
    normalise<<<(total + NTHREADS - 1) / NTHREADS, NTHREADS>>>(x, gamma, beta, moyenne, variance, y, f);
    VERIF(cudaGetLastError());
}
