// kernel=grow line=9 finding=KO106
#include <cstdio>
#define SQ(v) ((v)*(v))

__global__ void grow(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = a[i] * 0.7 + SQ(a[i]) * 0.1;
}

int main()
{
    float *a, *o;
    cudaMallocManaged(&a, 96 * sizeof(float));
    cudaMallocManaged(&o, 96 * sizeof(float));
    for (int i = 0; i < 96; ++i) a[i] = i / 32.0f;
    grow<<<3, 32>>>(o, a, 96);
    cudaDeviceSynchronize();
    for (int i = 0; i < 96; i += 5) printf("%.4f\n", o[i]);
    return 0;
}
