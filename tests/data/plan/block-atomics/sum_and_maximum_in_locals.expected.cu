// kernel=energy line=14 finding=KO110
#include <cstdio>

__device__ double square(double v) { return v * v; }

__global__ void energy(const double *in, double *total, int *fastest, int n)
{
    double mine = 0.0;
    int best = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        mine += 0.5 * square(in[i]);
        if (in[i] * 1000 > best) best = in[i] * 1000;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, offset);
        best = max(best, __shfl_down_sync(0xffffffff, best, offset));
    }
    __shared__ double warp_total[6];
    __shared__ int warp_fastest[6];
    if (threadIdx.x % 32 == 0) {
        warp_total[threadIdx.x / 32] = mine;
        warp_fastest[threadIdx.x / 32] = best;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 6; warp++) {
            mine += warp_total[warp];
            best = max(best, warp_fastest[warp]);
        }
        atomicAdd(total, mine);
        atomicMax(fastest, best);
    }
}

int main() {
    const int n = 10007;
    double *in, *h = new double[n];
    for (int i = 0; i < n; i++) h[i] = (i * 31 % 97) * 0.01;
    cudaMalloc(&in, n * sizeof(double));
    cudaMemcpy(in, h, n * sizeof(double), cudaMemcpyHostToDevice);
    double *total, e;
    int *fastest, f;
    cudaMalloc(&total, 8);
    cudaMalloc(&fastest, 4);
    cudaMemset(total, 0, 8);
    cudaMemset(fastest, 0, 4);
    energy<<<20, 192>>>(in, total, fastest, n);
    cudaMemcpy(&e, total, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&f, fastest, 4, cudaMemcpyDeviceToHost);
    printf("%.6f %d\n", e, f);
    return 0;
}
