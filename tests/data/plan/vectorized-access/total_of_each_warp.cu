// kernel=row_energy line=12 finding=KO118
#include <cstdio>

// every warp writes its own total: the elements of a block may not change warps
__global__ void row_energy(const float *x, float *warp_energy, int n)
{
    __shared__ float scale;
    if (threadIdx.x == 0)
        scale = 1.0f / n;
    __syncthreads();
    float e = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        e += x[i] * x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        e += __shfl_down_sync(0xffffffff, e, offset);
    if (threadIdx.x % 32 == 0)
        warp_energy[threadIdx.x / 32] = e * scale;
}

int main()
{
    const int n = 4000;
    static float h[n], w[8];
    for (int i = 0; i < n; i++)
        h[i] = i % 13;
    float *x, *e;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&e, sizeof w);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    row_energy<<<1, 256>>>(x, e, n);
    cudaMemcpy(w, e, sizeof w, cudaMemcpyDeviceToHost);
    for (float each : w)
        printf("%.3f\n", each);
}
