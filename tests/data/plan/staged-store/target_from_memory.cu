// kernel=permute line=9 finding=KO101
#include <cstdio>
#include <vector>


__global__ void permute(float *out, const float *in, const int *to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[to[x] * n + y] = in[y * n + x];
}

int main() {
    const int n = 96;
    std::vector<float> h(n * n), r(n * n);
    std::vector<int> t(n);
    for (int i = 0; i < n * n; i++) h[i] = i;
    for (int i = 0; i < n; i++) t[i] = n - 1 - i;
    float *in, *out;
    int *to;
    cudaMalloc(&in, n * n * 4);
    cudaMalloc(&out, n * n * 4);
    cudaMalloc(&to, n * 4);
    cudaMemcpy(in, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(to, t.data(), n * 4, cudaMemcpyHostToDevice);
    permute<<<dim3(3, 3), dim3(32, 32)>>>(out, in, to, n);
    cudaMemcpy(r.data(), out, n * n * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += r[t[j] * n + i] != h[i * n + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
