// kernel=total line=7 finding=KO107
#include <cstdio>

__global__ void total(float *__restrict__ sum, const float *__restrict__ in, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&sum[0], in[i]);
        if (in[i] < 0.0f) sum[0] += 1.0f;
    }
}

int main() {
    float *sum, *in;
    cudaMallocManaged(&sum, sizeof(float));
    cudaMallocManaged(&in, 100 * sizeof(float));
    for (int i = 0; i < 100; ++i) in[i] = 1;
    sum[0] = 0;
    total<<<1, 32>>>(sum, in, 100);
    cudaDeviceSynchronize();
    return puts(sum[0] == 100.0f ? "PASS" : "FAIL"), sum[0] != 100.0f;
}
