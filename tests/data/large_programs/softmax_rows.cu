#include <cstdio>
#include <cstdlib>
#include <cmath>
// one block for each row
__global__ void softmax(float *out, const float *in, int cols) {
    extern __shared__ float red[];
    const float *row = in + (size_t)blockIdx.x * cols;
    float *dst = out + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    red[threadIdx.x] = m; __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]); __syncthreads(); }
    m = red[0]; __syncthreads();
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(row[c] - m);
    red[threadIdx.x] = sum; __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s]; __syncthreads(); }
    sum = red[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) dst[c] = expf(row[c] - m) / sum;
}
int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 70000, cols = argc > 2 ? atoi(argv[2]) : 300;
    size_t n = (size_t)rows * cols;
    float *h = (float *)malloc(n * 4), *in, *out;
    for (size_t i = 0; i < n; i++) h[i] = (float)((i * 2654435761u) % 1000) / 100 - 5;
    cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);
    cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice);
    softmax<<<rows, 128, 128 * sizeof(float)>>>(out, in, cols);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; }
    cudaMemcpy(h, out, n * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (int c = 0; c < cols; c++) s += h[(size_t)(rows - 1) * cols + c];
    printf("last row sums to %f\n", s);
    return fabs(s - 1) > 1e-3;
}
