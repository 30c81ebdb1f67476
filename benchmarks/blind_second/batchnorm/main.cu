// Normalisation par lot (entrainement) : passe avant et passe arriere
// batchnorm N C H W
#include <math.h>
#include "bn.h"

static unsigned int graine = 1;
static float alea()
{
    graine = graine * 1664525u + 1013904223u;
    return (graine >> 8) / 16777216.0f;
}

static double moyenneAbs(const float *v, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += fabs(v[i]);
    return s / n;
}

int main(int argc, char **argv)
{
    Forme f = {16, 64, 28, 28};
    if (argc == 5) {
        f.n = atoi(argv[1]);
        f.c = atoi(argv[2]);
        f.h = atoi(argv[3]);
        f.w = atoi(argv[4]);
    }
    size_t total = (size_t)f.n * f.c * f.h * f.w;

    float *x = (float *)malloc(total * sizeof(float));
    float *dy = (float *)malloc(total * sizeof(float));
    float *gamma = (float *)malloc(f.c * sizeof(float));
    float *beta = (float *)malloc(f.c * sizeof(float));
    for (size_t i = 0; i < total; i++) {
        int c = i / (f.h * f.w) % f.c;
        x[i] = (alea() - 0.5f) * (1 + c % 3) + 0.1f * (c % 5);
        dy[i] = alea() - 0.45f;
    }
    for (int c = 0; c < f.c; c++) {
        gamma[c] = 0.5f + alea();
        beta[c] = alea() - 0.5f;
    }

    float *d_x, *d_dy, *d_y, *d_dx, *d_gamma, *d_beta, *d_moyenne, *d_variance, *d_dgamma, *d_dbeta;
    VERIF(cudaMalloc(&d_x, total * sizeof(float)));
    VERIF(cudaMalloc(&d_dy, total * sizeof(float)));
    VERIF(cudaMalloc(&d_y, total * sizeof(float)));
    VERIF(cudaMalloc(&d_dx, total * sizeof(float)));
    VERIF(cudaMalloc(&d_gamma, f.c * sizeof(float)));
    VERIF(cudaMalloc(&d_beta, f.c * sizeof(float)));
    VERIF(cudaMalloc(&d_moyenne, f.c * sizeof(float)));
    VERIF(cudaMalloc(&d_variance, f.c * sizeof(float)));
    VERIF(cudaMalloc(&d_dgamma, f.c * sizeof(float)));
    VERIF(cudaMalloc(&d_dbeta, f.c * sizeof(float)));
    VERIF(cudaMemcpy(d_x, x, total * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(d_dy, dy, total * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(d_gamma, gamma, f.c * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(d_beta, beta, f.c * sizeof(float), cudaMemcpyHostToDevice));

    avant(d_x, d_gamma, d_beta, d_moyenne, d_variance, d_y, f);
    arriere(d_x, d_dy, d_gamma, d_moyenne, d_variance, d_dgamma, d_dbeta, d_dx, f);

    // on recopie dans les tableaux d'entree, ils ne servent plus
    VERIF(cudaMemcpy(x, d_y, total * sizeof(float), cudaMemcpyDeviceToHost));
    VERIF(cudaMemcpy(dy, d_dx, total * sizeof(float), cudaMemcpyDeviceToHost));
    VERIF(cudaMemcpy(gamma, d_dgamma, f.c * sizeof(float), cudaMemcpyDeviceToHost));
    VERIF(cudaMemcpy(beta, d_dbeta, f.c * sizeof(float), cudaMemcpyDeviceToHost));
    printf("y  : moyenne |.| %.5f, premier %.4f, dernier %.4f\n", moyenneAbs(x, total), x[0], x[total - 1]);
    printf("dx : moyenne |.| %.5f, premier %.4f, dernier %.4f\n", moyenneAbs(dy, total), dy[0], dy[total - 1]);
    printf("dgamma[0] %.3g, dbeta[0] %.5g\n", gamma[0], beta[0]);

    cudaFree(d_x); cudaFree(d_dy); cudaFree(d_y); cudaFree(d_dx);
    cudaFree(d_gamma); cudaFree(d_beta); cudaFree(d_moyenne); cudaFree(d_variance);
    cudaFree(d_dgamma); cudaFree(d_dbeta);
    free(x); free(dy); free(gamma); free(beta);
    return 0;
}
