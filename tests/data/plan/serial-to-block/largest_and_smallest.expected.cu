// kernel=range line=22 finding=KO112
#include <cstdio>

__global__ void range(const int *in, int *out, int n) {
    int lo = in[0], hi = in[0];
    for (int i = 1 + threadIdx.x; i < n; i += 256) {
        if (in[i] < lo) lo = in[i];
        hi = max(hi, in[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        lo = min(lo, __shfl_down_sync(0xffffffff, lo, offset));
        hi = max(hi, __shfl_down_sync(0xffffffff, hi, offset));
    }
    __shared__ int warp_lo[8];
    __shared__ int warp_hi[8];
    if (threadIdx.x % 32 == 0) {
        warp_lo[threadIdx.x / 32] = lo;
        warp_hi[threadIdx.x / 32] = hi;
    }
    __syncthreads();
    lo = warp_lo[0];
    hi = warp_hi[0];
    for (int warp = 1; warp < 8; warp++) {
        lo = min(lo, warp_lo[warp]);
        hi = max(hi, warp_hi[warp]);
    }
    if (threadIdx.x == 0) {
        out[0] = lo;
        out[1] = hi;
    }
}

int main() {
    const int n = 4001;
    int *in, *h = new int[n];
    for (int i = 0; i < n; i++) h[i] = i * 7919 % 1001 - 300;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
    int *out, h1[2];
    cudaMalloc(&out, sizeof(h1));
    range<<<dim3(1), 256>>>(in, out, n);
    cudaMemcpy(h1, out, sizeof(h1), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2; i++) printf("%.3f ", (double)h1[i]);
    return 0;
}
