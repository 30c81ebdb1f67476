// kernel=scaled line=14 finding=KO108
#include <cstdio>
#include <cstdlib>

#define N 80

// the diagonal is set before the products read it
__global__ void scaled(float *m, float *out)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= N || col >= N) return;
    if (col == 0) m[row * N] = 1.0f;
    float sum = 0;
    for (int k = 0; k < N; k++) sum += m[row * N + k] * m[k * N + col];
    out[row * N + col] = sum;
}

int main()
{
    float *m, *out, host[N];
    cudaMalloc(&m, N * N * sizeof(float));
    cudaMalloc(&out, N * N * sizeof(float));
    cudaMemset(m, 0, N * N * sizeof(float));
    scaled<<<dim3(5, 5), dim3(16, 16)>>>(m, out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%f\n", host[3]);
    return 0;
}
