/* kernels.h -- the four steps of GEMVER, everything row-major n x n */
#ifndef KERNELS_H
#define KERNELS_H

extern "C" {
void rank_two_update(double *a, const double *u1, const double *v1, const double *u2, const double *v2, int n);
void transposed_product(const double *a, const double *y, double *x, double beta, int n);
void add_vector(double *x, const double *z, int n);
void product(const double *a, const double *x, double *w, double alpha, int n);
}

#endif
