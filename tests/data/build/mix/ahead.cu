constexpr int AHEAD = 16;  // steps whose loads are in flight together

__global__ void matmul(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        int k = 0;
        for (; k <= n - AHEAD; k += AHEAD) {
            float a[AHEAD], b[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                a[i] = A[row * n + k + i];
                b[i] = B[(k + i) * n + col];
            }
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                sum += a[i] * b[i];
            }
        }
        for (; k < n; k++) {
            sum += A[row * n + k] * B[k * n + col];
        }
        C[row * n + col] = sum;
    }
}

int main()
{
    const int n = 256;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMemset(a, 0, n * n * sizeof(float));
    cudaMemset(b, 0, n * n * sizeof(float));
    matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
    cudaDeviceSynchronize();
}
