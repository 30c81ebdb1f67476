// kernel=spread line=8 finding=KO101
#include <cstdio>
#include <vector>


__global__ void spread(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * 8] = in[i];
}

int main() {
    const int n = 1000;
    std::vector<float> h(n), r(n * 8);
    for (int i = 0; i < n; i++) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 32);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    spread<<<(n + 255) / 256, 256>>>(out, in, n);
    cudaMemcpy(r.data(), out, n * 32, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i * 8] != h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
