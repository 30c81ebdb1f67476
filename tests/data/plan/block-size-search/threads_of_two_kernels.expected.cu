// kernel=shift line=9 finding=KO127
#include <cstdio>
#include <vector>

__global__ void scale(float *v, float by, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) v[k] *= by;
}
__global__ void shift(float *v, float by, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) v[k] += by;
}

int main() {
    const int n = 5001, threads = 64;
    std::vector<float> h(n, 1.5f);
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    int blocks = (n + threads - 1) / threads;
    scale<<<blocks, threads>>>(d, 0.5f, n);
    shift<<<(blocks + 7) / 8, 8 * threads>>>(d, 2.0f, n);
    cudaMemcpy(h.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %f\n", h[0], h[n - 1]);
    cudaFree(d);
    return 0;
}
