// kernel=widest line=15 finding=KO122
#include <cstdio>
#define NT 64

__global__ void widest(const double *gaps, int n, double *out)
{
    double m = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmax(m, gaps[i]);
    __shared__ double s[NT];
    s[threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        // thread 0 has its own in `m` already
        for (int i = 1; i < blockDim.x; i++)
            m = fmax(m, s[i]);
        *out = m;
    }
}

int main() {
    const int n = 1500;
    double *gaps, *out, h[n], widest_gap;
    for (int i = 0; i < n; i++) h[i] = i * 37 % 1013 * 0.25;
    cudaMalloc(&gaps, n * sizeof(double));
    cudaMalloc(&out, sizeof(double));
    cudaMemcpy(gaps, h, n * sizeof(double), cudaMemcpyHostToDevice);
    widest<<<1, NT>>>(gaps, n, out);
    cudaMemcpy(&widest_gap, out, sizeof(double), cudaMemcpyDeviceToHost);
    printf("%.2f\n", widest_gap);
    return 0;
}
