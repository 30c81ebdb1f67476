// kernel=gather line=8 finding=KO101
#include <cstdio>
#include <vector>


__global__ void gather(float *out, const float *in, const int *index, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

int main() {
    const int n = 1000;
    std::vector<float> h(n), r(n);
    std::vector<int> at(n);
    for (int i = 0; i < n; i++) h[i] = i, at[i] = (i * 37) % n;
    float *in, *out;
    int *index;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMalloc(&index, n * 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(index, at.data(), n * 4, cudaMemcpyHostToDevice);
    gather<<<(n + 255) / 256, 256>>>(out, in, index, n);
    cudaMemcpy(r.data(), out, n * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != h[at[i]];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
