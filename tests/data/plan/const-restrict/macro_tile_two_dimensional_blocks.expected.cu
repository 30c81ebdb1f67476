// kernel=matmul line=15 finding=KO113
#include <cstdio>
#include <memory>

#define TILE 8
typedef float real;

/* One kernel of several; launched twice from different functions. */
__global__ void __launch_bounds__(TILE * TILE) matmul(real *__restrict__ c, const real *__restrict__ a, const real *__restrict__ b, unsigned n)
{
    __shared__ real sa[TILE][TILE], sb[TILE][TILE];
    unsigned row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    real sum = 0;
    for (unsigned t = 0; t < n; t += TILE) {
        sa[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

static real *buffer(unsigned count)
{
    real *p = nullptr;
    cudaMallocManaged(&p, count * sizeof(real));
    return p;
}

static void square(real *result, real *x, unsigned n)
{
    matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(result, x, x, n);
}

int main()
{
    unsigned n = 16;
    real *x = buffer(n * n), *y = buffer(n * n);
    real *z = buffer(n * n);
    for (unsigned i = 0; i < n * n; i++) x[i] = 1;
    square(y, x, n);
    matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(z, x, y, n);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < n * n; i++)
        if (y[i] != n || z[i] != n * n) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
