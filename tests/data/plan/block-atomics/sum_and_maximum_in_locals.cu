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
    atomicAdd(total, mine);
    atomicMax(fastest, best);
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
