#ifndef KERNELS_H
#define KERNELS_H

#define THREADS 128

// y = A x
__global__ void spmv(int rows, const int* rowPtr, const int* colIdx, const double* values, const double* x, double* y);

// partial[block] = part of a . b
__global__ void dotPartial(int n, const double* a, const double* b, double* partial);

// y = y + alpha x
__global__ void axpy(int n, double alpha, const double* x, double* y);

// y = x + beta y
__global__ void xpby(int n, const double* x, double beta, double* y);

#endif
