/* Crank-Nicolson für viele Stäbe gleichzeitig / heat conduction in many rods at once
 *
 * Each rod has N inner points and its own diffusivity. One time step means one tridiagonal system per rod,
 * which is solved by the Thomas algorithm. Ends are kept at 0.
 *
 *   thomas RODS POINTS STEPS
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N_DEFAULT 128
#define AT(a, rod, i) a[(rod) * n + (i)]

static void check(cudaError_t err)
{
    if (err != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(err));
        exit(1);
    }
}

/* right-hand side and the three diagonals */
__global__ void setup(const double *u, const double *diff, double *a, double *b, double *c, double *d, int rods, int n, double dt, double dx)
{
    int rod = blockIdx.x * blockDim.x + threadIdx.x;
    if (rod >= rods)
        return;
    for (int i = 0; i < n; i++) {
        double r = diff[rod] * dt / (2 * pow(dx, 2));
        double left = i > 0 ? AT(u, rod, i - 1) : 0.0;
        double right = i < n - 1 ? AT(u, rod, i + 1) : 0.0;
        AT(a, rod, i) = i > 0 ? -r : 0.0;
        AT(b, rod, i) = 1 + 2 * r;
        AT(c, rod, i) = i < n - 1 ? -r : 0.0;
        AT(d, rod, i) = AT(u, rod, i) + r * (left - 2 * AT(u, rod, i) + right);
    }
}

/* forward elimination overwrites c and d, then back substitution */
__global__ void thomas(const double *a, const double *b, double *c, double *d, double *u, int rods, int n)
{
    int rod = blockIdx.x * blockDim.x + threadIdx.x;
    if (rod >= rods)
        return;
    AT(c, rod, 0) = AT(c, rod, 0) / AT(b, rod, 0);
    AT(d, rod, 0) = AT(d, rod, 0) / AT(b, rod, 0);
    for (int i = 1; i < n; i++) {
        AT(c, rod, i) = AT(c, rod, i) / (AT(b, rod, i) - AT(a, rod, i) * AT(c, rod, i - 1));
        AT(d, rod, i) = (AT(d, rod, i) - AT(a, rod, i) * AT(d, rod, i - 1)) / (AT(b, rod, i) - AT(a, rod, i) * AT(c, rod, i - 1));
    }
    AT(u, rod, n - 1) = AT(d, rod, n - 1);
    for (int i = n - 2; i >= 0; i--)
        AT(u, rod, i) = AT(d, rod, i) - AT(c, rod, i) * AT(u, rod, i + 1);
}

/* heat left in each rod */
__global__ void heat(const double *u, double *total, int rods, int n, double dx)
{
    int rod = blockIdx.x * blockDim.x + threadIdx.x;
    if (rod >= rods)
        return;
    total[rod] = 0;
    for (int i = 0; i < n; i++)
        total[rod] += AT(u, rod, i) * dx;
}

int main(int argc, char **argv)
{
    int rods = argc > 1 ? atoi(argv[1]) : 1024;
    int n = argc > 2 ? atoi(argv[2]) : N_DEFAULT;
    int steps = argc > 3 ? atoi(argv[3]) : 4;
    size_t bytes = sizeof(double) * rods * n;
    double dx = 1.0 / (n + 1), dt = 0.0005;

    double *u = (double *)malloc(bytes), *diff = (double *)malloc(rods * sizeof(double)), *total = (double *)malloc(rods * sizeof(double));
    for (int r = 0; r < rods; r++) {
        diff[r] = 0.1 + 0.01 * (r % 97);
        for (int i = 0; i < n; i++)
            AT(u, r, i) = sin(M_PI * (i + 1) * dx) + 0.5 * sin((r % 5 + 2) * M_PI * (i + 1) * dx);
    }

    double *d_u, *d_diff, *d_a, *d_b, *d_c, *d_d, *d_total;
    check(cudaMalloc((void **)&d_u, bytes));
    check(cudaMalloc((void **)&d_a, bytes));
    check(cudaMalloc((void **)&d_b, bytes));
    check(cudaMalloc((void **)&d_c, bytes));
    check(cudaMalloc((void **)&d_d, bytes));
    check(cudaMalloc((void **)&d_diff, rods * sizeof(double)));
    check(cudaMalloc((void **)&d_total, rods * sizeof(double)));
    check(cudaMemcpy(d_u, u, bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(d_diff, diff, rods * sizeof(double), cudaMemcpyHostToDevice));

    int threads = 128;
    int blocks = (rods + threads - 1) / threads;
    for (int s = 0; s < steps; s++) {
        setup<<<blocks, threads>>>(d_u, d_diff, d_a, d_b, d_c, d_d, rods, n, dt, dx);
        thomas<<<blocks, threads>>>(d_a, d_b, d_c, d_d, d_u, rods, n);
    }
    heat<<<blocks, threads>>>(d_u, d_total, rods, n, dx);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(u, d_u, bytes, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(total, d_total, rods * sizeof(double), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int r = 0; r < rods; r++)
        sum += total[r];
    printf("mean heat per rod: %.8f\n", sum / rods);
    printf("rod 0: heat %.8f, middle %.8f\n", total[0], AT(u, 0, n / 2));
    printf("rod %d: heat %.8f, middle %.8f\n", rods - 1, total[rods - 1], AT(u, rods - 1, n / 2));

    free(u);
    free(diff);
    free(total);
    cudaFree(d_u);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    cudaFree(d_d);
    cudaFree(d_diff);
    cudaFree(d_total);
    return 0;
}
