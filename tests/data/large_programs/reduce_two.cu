#include <cstdio>
#include <cstdlib>
__global__ void partial(const float *x, float *part, int n) {
    __shared__ float s[256];
    int t = threadIdx.x; float v = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += x[i];
    s[t] = v; __syncthreads();
    for (int k = 128; k; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (!t) part[blockIdx.x] = s[0];
}
__global__ void last(const float *part, float *out, int m) {
    float v = 0; for (int i = threadIdx.x; i < m; i += 32) v += part[i];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (!threadIdx.x) *out = v;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 60000000; float *h = (float *)malloc(n * sizeof(float)), *x, *p, *o, r;
    for (int i = 0; i < n; i++) h[i] = (i % 100) * 0.01f;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&p, 4096 * 4); cudaMalloc(&o, 4); cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
    partial<<<4096, 256>>>(x, p, n); last<<<1, 32>>>(p, o, 4096);
    cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("%f\n", r / n);
}
