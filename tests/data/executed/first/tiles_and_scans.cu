// A tiled product with ragged edges and a padded row, a scan, and a row-wise softmax.
#include <cstdio>
#include <cfloat>
#include <cuda_runtime.h>
#define TILE 16

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float As[TILE][TILE + 1];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
        As[threadIdx.y][threadIdx.x] = (row < M && t * TILE + threadIdx.x < K) ? A[row * K + t * TILE + threadIdx.x] : 0.f;
        Bs[threadIdx.y][threadIdx.x] = (col < N && t * TILE + threadIdx.y < K) ? B[(t * TILE + threadIdx.y) * N + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

__global__ void scan_block(const int *in, int *out, int n) {
    __shared__ int buf[2][512];
    int tid = threadIdx.x, p = 0;
    buf[p][tid] = tid < n ? in[tid] : 0;
    __syncthreads();
    for (int off = 1; off < 512; off *= 2) {
        p = 1 - p;
        if (tid >= off) buf[p][tid] = buf[1 - p][tid] + buf[1 - p][tid - off];
        else buf[p][tid] = buf[1 - p][tid];
        __syncthreads();
    }
    if (tid < n) out[tid] = buf[p][tid];
}

__global__ void softmax(const float *x, float *y, int cols) {
    __shared__ float red[128];
    const float *row = x + blockIdx.x * cols;
    float m = -FLT_MAX;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    red[threadIdx.x] = m; __syncthreads();
    for (int s = 64; s; s >>= 1) { if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]); __syncthreads(); }
    m = red[0]; __syncthreads();
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(row[c] - m);
    red[threadIdx.x] = sum; __syncthreads();
    for (int s = 64; s; s >>= 1) { if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s]; __syncthreads(); }
    sum = red[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = expf(row[c] - m) / sum;
}

int main() {
    const int n = 128 * 128;
    float *h = new float[n], *a, *c;
    for (int i = 0; i < n; i++) h[i] = (float)((i * 13) % 61) / 61.0f;
    cudaMalloc(&a, n * 4); cudaMalloc(&c, n * 4);
    cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
    matmul<<<dim3(7, 6), dim3(TILE, TILE)>>>(a, a, c, 90, 100, 77);
    scan_block<<<1, 512>>>((int *)a, (int *)c, 500);
    softmax<<<40, 128>>>(a, c, 300);
    cudaMemcpy(h, c, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[1]);
    delete[] h;
    return 0;
}
