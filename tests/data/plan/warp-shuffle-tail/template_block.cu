// kernel=block_sum line=11 finding=KO115
#include <cstdio>

template <int BLOCK>
__global__ void block_sum(float *out, const float *in, int n) {
    __shared__ float sh[BLOCK];
    unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * BLOCK + t;
    sh[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned int s = BLOCK >> 1; s > 0; s >>= 1) { if (t < s) sh[t] += sh[t + s]; __syncthreads(); }
    if (t == 0) out[blockIdx.x] = sh[0];
}

int main() {
    const int n = 1000;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, 8 * sizeof(float));
    for (int i = 0; i < n; ++i) in[i] = i % 5;
    block_sum<256><<<(n + 255) / 256, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    float total = 0;
    for (int b = 0; b < (n + 256 - 1) / 256; ++b) total += out[b];
    return puts(total == 2000 ? "PASS" : "FAIL"), total != 2000;
}
