// kernel=triple line=9 finding=KO112
#include <cstdio>
#include <vector>


__global__ void triple(float *out, const float *in, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = 3.0f * s[threadIdx.x];
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    triple<<<(n + 63) / 64, 64>>>(out, in, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
