#include <cstdio>
#include <vector>
__global__ void decay(float *v, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= by;
}
__global__ void mixin(float *v, const float *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 0.25f * w[i];
}
__global__ void clip(float *v, int n, float most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] > most) v[i] = most;
}
int main() {
    const int n = 4096, block = 256, steps = 40;
    std::vector<float> hv(n), hw(n);
    for (int i = 0; i < n; i++) hv[i] = (i * 29 % 113) * 0.05f, hw[i] = (i * 17 % 71) * 0.03f;
    float *v, *w;
    cudaMalloc(&v, n * 4);
    cudaMalloc(&w, n * 4);
    cudaMemcpy(v, hv.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(w, hw.data(), n * 4, cudaMemcpyHostToDevice);
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int k = 0; k < steps; k++) {
        decay<<<n / block, block, 0, s>>>(v, n, 0.97f);
        mixin<<<n / block, block, 0, s>>>(v, w, n);
        clip<<<n / block, block, 0, s>>>(v, n, 4.5f);
    }
    cudaStreamSynchronize(s);
    cudaMemcpy(hv.data(), v, n * 4, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float x : hv) sum += x;
    printf("%.5f\n", sum);
}
