// kernel=rank_update line=17 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <vector>
#define SIDE 16
typedef float real;

// C += scale * (A * A') + shift * (B * A'), the second with its factor in front of each side once
__global__ void rank_update(const real *A, const real *B, real *C, int n, int m, real scale, float shift)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= n || c >= n)
        return;
    real sum = 0;
    real other = 0;
    for (int k = 0; k < m; k++) {
        sum += scale * A[r * m + k] * A[c * m + k];
        other += B[r * m + k] * shift * scale * A[c * m + k];
    }
    C[r * n + c] += sum + other;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 150, m = n - 37;
    std::vector<real> a(n * m), b(n * m), c(n * n, 1.0f);
    for (int i = 0; i < n * m; i++) {
        a[i] = (i * 7 % 13) * 0.25f - 1.0f;
        b[i] = (i * 5 % 11) * 0.5f - 2.0f;
    }
    real *A, *B, *C;
    cudaMalloc(&A, a.size() * sizeof(real));
    cudaMalloc(&B, b.size() * sizeof(real));
    cudaMalloc(&C, c.size() * sizeof(real));
    cudaMemcpy(A, a.data(), a.size() * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), b.size() * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(C, c.data(), c.size() * sizeof(real), cudaMemcpyHostToDevice);
    dim3 block(SIDE, SIDE);
    dim3 grid((n + SIDE - 1) / SIDE, (n + SIDE - 1) / SIDE);
    rank_update<<<grid, block>>>(A, B, C, n, m, 1.5f, 0.5f);
    cudaMemcpy(c.data(), C, c.size() * sizeof(real), cudaMemcpyDeviceToHost);
    double s = 0;
    for (real v : c) s += v;
    printf("%.4f\n", s);
    return 0;
}
