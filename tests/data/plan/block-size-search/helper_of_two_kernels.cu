// kernel=triple line=6 finding=KO112
#include <cstdio>
#include <vector>

__global__ void triple(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3.0f * in[i];
}

static int blocks_for(int n) { return (n + 31) / 32; }

__global__ void zero(float *out, int n) {
    for (int i = threadIdx.x; i < 32; i += 32)
        if (blockIdx.x * 32 + i < n) out[blockIdx.x * 32 + i] = 0.0f;
}

void run(float *out, const float *in, int n) {
    zero<<<blocks_for(n), 32>>>(out, n);
    triple<<<blocks_for(n), 32>>>(out, in, n);
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    run(out, in, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
