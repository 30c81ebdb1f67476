#include "kernels.h"

static const int BX = 32;
static const int BY = 8;
static const int B1 = 256;

__global__ void k_rank_two(double *a, const double *u1, const double *v1, const double *u2, const double *v2, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        a[(size_t)i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

__global__ void k_transposed(const double *a, const double *y, double *x, double beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double acc = 0;
        for (int j = 0; j < n; ++j)
            acc += beta * a[(size_t)j * n + i] * y[j];
        x[i] += acc;
    }
}

__global__ void k_add(double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += z[i];
}

__global__ void k_product(const double *a, const double *x, double *w, double alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double acc = 0;
        for (int j = 0; j < n; ++j)
            acc += alpha * a[(size_t)i * n + j] * x[j];
        w[i] += acc;
    }
}

void rank_two_update(double *a, const double *u1, const double *v1, const double *u2, const double *v2, int n)
{
    k_rank_two<<<dim3((n + BX - 1) / BX, (n + BY - 1) / BY), dim3(BX, BY)>>>(a, u1, v1, u2, v2, n);
}

void transposed_product(const double *a, const double *y, double *x, double beta, int n)
{
    k_transposed<<<(n + B1 - 1) / B1, B1>>>(a, y, x, beta, n);
}

void add_vector(double *x, const double *z, int n)
{
    k_add<<<(n + B1 - 1) / B1, B1>>>(x, z, n);
}

void product(const double *a, const double *x, double *w, double alpha, int n)
{
    k_product<<<(n + B1 - 1) / B1, B1>>>(a, x, w, alpha, n);
}
