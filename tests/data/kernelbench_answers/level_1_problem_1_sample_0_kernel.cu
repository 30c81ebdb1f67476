/* kernelopt
[operator]
launcher = "product"
inputs   = { a = ["n", "k"], b = ["k", "m"] }
outputs  = { c = ["n", "m"] }
args     = ["c", "a", "b", "n", "k", "m"]
*/
__global__ void product_of(float *c, const float *a, const float *b, int n, int k, int m)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= m) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[(size_t)row * k + i] * b[(size_t)i * m + column];
    c[(size_t)row * m + column] = sum;
}

void product(float *c, const float *a, const float *b, int n, int k, int m)
{
    if (n > 0 && m > 0) product_of<<<dim3((m + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(c, a, b, n, k, m);
}
