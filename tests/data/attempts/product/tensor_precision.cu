// hope: ten bits, as tensor cores have by default, are what everyone uses
/* kernelopt
[workload.product]
args   = { c = "empty(m*n)", a = "randn(m*k)", b = "randn(k*n)", m = "m", n = "n", k = "k" }
grid   = ["ceil(n/16)", "ceil(m/16)"]
block  = [16, 16]
shapes = [{ m = 48, n = 48, k = 64 }, { m = 33, n = 20, k = 50 }]
*/
__device__ float short_of(float value) { return __uint_as_float(__float_as_uint(value) & 0xffffe000u); }
__global__ void product(float* c, const float* a, const float* b, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += short_of(a[row * k + i]) * short_of(b[i * n + column]);
    c[row * n + column] = sum;
}
