#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NTHREADS 256
#define EPS 1e-5

#define VERIF(appel)                                                                  \
    {                                                                                 \
        cudaError_t code = appel;                                                     \
        if (code != cudaSuccess) {                                                    \
            printf("erreur %s (%s:%d)\n", cudaGetErrorString(code), __FILE__, __LINE__); \
            exit(1);                                                                  \
        }                                                                             \
    }

// tenseurs en NCHW
struct Forme {
    int n, c, h, w;
};

void avant(const float *x, const float *gamma, const float *beta, float *moyenne, float *variance, float *y, Forme f);
void arriere(const float *x, const float *dy, const float *gamma, const float *moyenne, const float *variance,
             float *dgamma, float *dbeta, float *dx, Forme f);
