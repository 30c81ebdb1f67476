// kernel=gemm line=18 finding=KO108
// The author's tiles of 16 x 16, in a template of which the program has doubles only.
#define TILE 16

template <typename T>
__global__ void gemm(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int n) {
    __shared__ T As[TILE][TILE];
    __shared__ T Bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    T sum = 0;
    for (int t = 0; t < n; t += TILE) {
        As[ty][tx] = (row < n && t + tx < n) ? A[row * n + t + tx] : T(0);
        Bs[ty][tx] = (t + ty < n && col < n) ? B[(t + ty) * n + col] : T(0);
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = sum;
}

void multiply(const double* a, const double* b, double* c, int n) {
    dim3 threads(TILE, TILE);
    dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    gemm<double><<<blocks, threads>>>(a, b, c, n);
}
