#include <cstdio>
#include <cstdlib>
#include <vector>
using std::vector;
#define TILE 16
// C(m,n) = A(m,k) * B(k,n), any sizes
__global__ void MatMul(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.f;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        As[ty][tx] = (row < M && t * TILE + tx < K) ? A[row * K + t * TILE + tx] : 0.f;
        Bs[ty][tx] = (t * TILE + ty < K && col < N) ? B[(t * TILE + ty) * N + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
int main(int argc, char **argv) {
    int M = argc > 1 ? atoi(argv[1]) : 4096, N = M, K = M;
    vector<float> a((size_t)M * K), b((size_t)K * N), c((size_t)M * N);
    for (size_t i = 0; i < a.size(); i++) a[i] = float(rand()) / RAND_MAX - 0.5f;
    for (size_t i = 0; i < b.size(); i++) b[i] = float(rand()) / RAND_MAX;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * 4); cudaMalloc(&db, b.size() * 4); cudaMalloc(&dc, c.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);
    MatMul<<<grid, block>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : c) sum += v;
    printf("%.3f\n", sum);
}
