// LU factorization without pivoting, in place, right-looking
#include <stdio.h>
#include <stdlib.h>

#define IDX(i, j) ((size_t)(i) * n + (j))

void checkErr(cudaError_t err, const char* msg)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(err));
        exit(1);
    }
}

__global__ void lu_column(double* a, int n, int k)
{
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[IDX(i, k)] /= a[IDX(k, k)];
}

__global__ void lu_update(double* a, int n, int k)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        a[IDX(i, j)] -= a[IDX(i, k)] * a[IDX(k, j)];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    size_t bytes = (size_t)n * n * sizeof(double);
    double* a = (double*)malloc(bytes);

    // diagonally dominant, so no pivoting is needed
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[IDX(i, j)] = ((i * 7 + j * 13) % 31) / 31.0;
        a[IDX(i, i)] += n;
    }

    double* d_a;
    checkErr(cudaMalloc(&d_a, bytes), "malloc");
    checkErr(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice), "to device");

    dim3 block(16, 16);
    for (int k = 0; k < n - 1; k++) {
        int rest = n - k - 1;
        lu_column<<<(rest + 255) / 256, 256>>>(d_a, n, k);
        dim3 grid((rest + 15) / 16, (rest + 15) / 16);
        lu_update<<<grid, block>>>(d_a, n, k);
    }
    checkErr(cudaGetLastError(), "launch");
    checkErr(cudaMemcpy(a, d_a, bytes, cudaMemcpyDeviceToHost), "from device");

    double diag = 0, lower = 0, upper = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j) diag += a[IDX(i, j)];
            else if (i > j) lower += a[IDX(i, j)];
            else upper += a[IDX(i, j)];
        }
    printf("diag %.8e lower %.8e upper %.8e\n", diag, lower, upper);

    cudaFree(d_a);
    free(a);
    return 0;
}
