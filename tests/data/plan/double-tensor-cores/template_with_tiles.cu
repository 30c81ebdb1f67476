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

int main() {
    const int n = 101;
    static double host[3][n * n];
    double* device[3];
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < n * n; i++) host[m][i] = (i * 7 + m) % 23 / 11.0 - 1;
        cudaMalloc(&device[m], sizeof(host[m]));
        cudaMemcpy(device[m], host[m], sizeof(host[m]), cudaMemcpyHostToDevice);
    }
    multiply(device[0], device[1], device[2], n);
    cudaMemcpy(host[2], device[2], sizeof(host[2]), cudaMemcpyDeviceToHost);
    return host[2][0] > 1e9;
}
