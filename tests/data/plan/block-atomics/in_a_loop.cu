// kernel=scaled_total line=9 finding=KO110
#include <cstdio>
typedef double real;

__global__ void scaled_total(const real *in, real *out, real scale, int n)
{
    // a few elements each
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(out, scale * in[i]);
}

int main() {
    const int n = 9001;
    real *in, *h = new real[n];
    for (int i = 0; i < n; i++) h[i] = (i % 17) * 0.25;
    cudaMalloc(&in, n * sizeof(real));
    cudaMemcpy(in, h, n * sizeof(real), cudaMemcpyHostToDevice);
    real *out, h1;
    cudaMalloc(&out, sizeof(real));
    cudaMemset(out, 0, sizeof(real));
    scaled_total<<<8, 64>>>(in, out, 0.5, n);
    cudaMemcpy(&h1, out, sizeof(real), cudaMemcpyDeviceToHost);
    printf("%.3f\n", h1);
    return 0;
}
