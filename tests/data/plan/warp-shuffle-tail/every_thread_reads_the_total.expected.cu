// kernel=normalize line=10 finding=KO115
#include <cstdio>

__global__ void normalize(float *out, const float *in, int n) {
    __shared__ float sh[512];
    int tid = threadIdx.x;
    float value = tid < n ? in[tid] : 0.0f;
    sh[tid] = value;
    __syncthreads();
    for (int s = blockDim.x / 2; s >= 32; s >>= 1) {
        if (tid < s) sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        float value2 = sh[tid];
        value2 += __shfl_down_sync(0xffffffff, value2, 16);
        value2 += __shfl_down_sync(0xffffffff, value2, 8);
        value2 += __shfl_down_sync(0xffffffff, value2, 4);
        value2 += __shfl_down_sync(0xffffffff, value2, 2);
        value2 += __shfl_down_sync(0xffffffff, value2, 1);
        if (tid == 0) sh[0] = value2;
    }
    __syncthreads();
    if (tid < n) out[tid] = value / sh[0];
}

int main() {
    float *in, *out;
    cudaMallocManaged(&in, 512 * sizeof(float));
    cudaMallocManaged(&out, 512 * sizeof(float));
    for (int i = 0; i < 512; ++i) in[i] = 1;
    normalize<<<1, 512>>>(out, in, 512);
    normalize<<<1, 128>>>(out, in, 128);
    cudaDeviceSynchronize();
    bool is_right = out[0] == 1.0f / 128 && out[511] == 1.0f / 512;
    return puts(is_right ? "PASS" : "FAIL"), !is_right;
}
