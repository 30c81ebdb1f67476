// hope: sizes are multiples of 16 when it counts
/* kernelopt
[workload.product]
args   = { c = "empty(m*n)", a = "randn(m*k)", b = "randn(k*n)", m = "m", n = "n", k = "k" }
grid   = ["ceil(n/16)", "ceil(m/16)"]
block  = [16, 16]
shapes = [{ m = 48, n = 48, k = 64 }, { m = 64, n = 64, k = 64 }]
*/
__global__ void product(float* c, const float* a, const float* b, int m, int n, int k) {
    __shared__ float at[16][16], bt[16][16];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int base = 0; base < k; base += 16) {
        at[threadIdx.y][threadIdx.x] = a[row * k + base + threadIdx.x];
        bt[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += at[threadIdx.y][i] * bt[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
