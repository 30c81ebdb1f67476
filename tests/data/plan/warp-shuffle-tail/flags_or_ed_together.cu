// kernel=any_flag line=11 finding=KO115
#include <cstdio>

__global__ void any_flag(unsigned *out, const unsigned *in, int n) {
    __shared__ unsigned flags[64];
    const int lane = threadIdx.x;
    unsigned mine = 0;
    for (int k = lane; k < n; k += blockDim.x) mine |= in[k];
    flags[lane] = mine;
    __syncthreads();
    for (int s = 32; s != 0; s >>= 1) {
        if (lane < s) flags[lane] |= flags[lane + s];
        __syncthreads();
    }
    if (lane == 0) *out = flags[0];
}

int main() {
    unsigned *in, *out;
    cudaMallocManaged(&in, 300 * sizeof(unsigned));
    cudaMallocManaged(&out, sizeof(unsigned));
    for (int i = 0; i < 300; ++i) in[i] = 1u << (i % 7);
    dim3 block(64, 1);
    any_flag<<<1, block>>>(out, in, 300);
    cudaDeviceSynchronize();
    return puts(*out == 127 ? "PASS" : "FAIL"), *out != 127;
}
