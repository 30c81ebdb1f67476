// Small dense solvers: one thread a system, one block a matrix, and a Jacobi sweep.
#include <cstdio>
#include <cuda_runtime.h>
#define D 6

__device__ __noinline__ void solve_lower(const double *L, const double *b, double *x) {
    for (int i = 0; i < D; i++) {
        double s = b[i];
        for (int j = 0; j < i; j++) s -= L[i * D + j] * x[j];
        x[i] = s / L[i * D + i];
    }
}

__global__ void many_systems(const double *L, const double *b, double *x, int count) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) solve_lower(L, b + k * D, x + k * D);
}

__global__ void lu_in_block(float *A, int n) {
    float *M = A + blockIdx.x * n * n;
    for (int k = 0; k < n - 1; k++) {
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            M[i * n + k] /= M[k * n + k];
        __syncthreads();
        for (int t = threadIdx.x; t < (n - k - 1) * (n - k - 1); t += blockDim.x) {
            int i = k + 1 + t / (n - k - 1), j = k + 1 + t % (n - k - 1);
            M[i * n + j] -= M[i * n + k] * M[k * n + j];
        }
        __syncthreads();
    }
}

__global__ void jacobi(const float *in, float *out, const float *rhs, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        int i = y * nx + x;
        out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - rhs[i]);
    }
}

int main() {
    const int count = 2000, n = 24, nx = 130, ny = 70;
    double hl[D * D], *hb = new double[count * D];
    for (int i = 0; i < D * D; i++) hl[i] = 1.0 + (i % 5);
    for (int i = 0; i < count * D; i++) hb[i] = i % 13;
    float *ha = new float[20 * n * n];
    for (int i = 0; i < 20 * n * n; i++) ha[i] = (i % n == (i / n) % n) ? 50.f : (i * 31 % 17) / 17.f;
    double *dl, *db, *dx; float *da, *u, *v;
    cudaMalloc(&dl, sizeof(hl)); cudaMalloc(&db, count * D * 8); cudaMalloc(&dx, count * D * 8);
    cudaMalloc(&da, 20 * n * n * 4); cudaMalloc(&u, nx * ny * 4); cudaMalloc(&v, nx * ny * 4);
    cudaMemcpy(dl, hl, sizeof(hl), cudaMemcpyHostToDevice); cudaMemcpy(db, hb, count * D * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(da, ha, 20 * n * n * 4, cudaMemcpyHostToDevice);
    cudaMemset(u, 0, nx * ny * 4); cudaMemset(v, 0, nx * ny * 4);
    many_systems<<<(count + 63) / 64, 64>>>(dl, db, dx, count);
    lu_in_block<<<20, 96>>>(da, n);
    jacobi<<<dim3((nx + 31) / 32, (ny + 7) / 8), dim3(32, 8)>>>(u, v, u, nx, ny);
    cudaMemcpy(hb, dx, count * D * 8, cudaMemcpyDeviceToHost);
    printf("%f\n", hb[7]);
    delete[] hb; delete[] ha;
    return 0;
}
