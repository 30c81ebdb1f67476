/* A += u1 v1' + u2 v2';  x = beta A' y + z;  w = alpha A x */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

static void chk(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "main.cu:%d: %s\n", line, cudaGetErrorString(e));
        exit(1);
    }
}
#define CHK(e) chk(e, __LINE__)

enum { U1, V1, U2, V2, X, Y, Z, W, VECTORS };

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    size_t cells = (size_t)n * n;
    double *a = (double *)malloc(cells * sizeof *a);
    double *v = (double *)malloc(n * sizeof *v);
    double *d_a, *d_v[VECTORS];

    for (size_t i = 0; i < cells; i++)
        a[i] = (double)(i % 1013) / 1013;
    CHK(cudaMalloc(&d_a, cells * sizeof *a));
    CHK(cudaMemcpy(d_a, a, cells * sizeof *a, cudaMemcpyHostToDevice));

    for (int k = 0; k < VECTORS; k++) {
        for (int i = 0; i < n; i++)
            v[i] = (k == X || k == W) ? 0.0 : (double)((i + k) % n) / (n * (k + 1.0));
        CHK(cudaMalloc(&d_v[k], n * sizeof *v));
        CHK(cudaMemcpy(d_v[k], v, n * sizeof *v, cudaMemcpyHostToDevice));
    }

    rank_two_update(d_a, d_v[U1], d_v[V1], d_v[U2], d_v[V2], n);
    CHK(cudaGetLastError());
    transposed_product(d_a, d_v[Y], d_v[X], 1.2, n);
    CHK(cudaGetLastError());
    add_vector(d_v[X], d_v[Z], n);
    CHK(cudaGetLastError());
    product(d_a, d_v[X], d_v[W], 1.5, n);
    CHK(cudaGetLastError());

    CHK(cudaMemcpy(v, d_v[W], n * sizeof *v, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    printf("w[0] = %.10f, w[n-1] = %.10f, sum = %.8e\n", v[0], v[n - 1], sum);

    CHK(cudaFree(d_a));
    for (int k = 0; k < VECTORS; k++)
        CHK(cudaFree(d_v[k]));
    free(a);
    free(v);
    return 0;
}
