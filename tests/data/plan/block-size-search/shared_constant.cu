// kernel=triple line=15 finding=KO112
#include <cstdio>
#include <vector>


constexpr int kThreads = 48;

__global__ void negate(float *p, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) p[i] = -p[i];
}

__global__ void triple(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3.0f * in[i];
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    triple<<<(n + kThreads - 1) / kThreads, kThreads>>>(out, in, n);
    negate<<<(n + kThreads - 1) / kThreads, kThreads>>>(out, n);
    negate<<<(n + kThreads - 1) / kThreads, kThreads>>>(out, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
