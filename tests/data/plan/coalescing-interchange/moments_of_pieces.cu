// kernel=moments line=17 finding=KO101
#include <cstdio>
#define TPB 64

template <typename T>
__global__ void moments(const T *x, float *sums, float *squares, int n)
{
    __shared__ float first[TPB];
    __shared__ float second[TPB];
    int gid = blockIdx.x * TPB + threadIdx.x;
    int len = (n + gridDim.x * TPB - 1) / (gridDim.x * TPB);
    int lo = gid * len, hi = lo + len < n ? lo + len : n;
    float s = 0.0f;
    float q = 0.0f;
    for (int j = lo; j < hi; j++)
    {
        float v = x[j];
        s += v;
        if (v > 0.5f)
            q += v * v;
    }
    first[threadIdx.x] = s;
    second[threadIdx.x] = q;
    __syncthreads();
    for (int half = TPB / 2; half > 0; half /= 2)
    {
        if (threadIdx.x < half)
        {
            first[threadIdx.x] += first[threadIdx.x + half];
            second[threadIdx.x] += second[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
    {
        sums[blockIdx.x] = first[0];
        squares[blockIdx.x] = second[0];
    }
}

int main()
{
    const int n = 20011, blocks = 5;
    float *x, *sums, *squares;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&sums, blocks * sizeof(float));
    cudaMallocManaged(&squares, blocks * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = (i % 9) * 0.25f - 1.0f;
    moments<float><<<blocks, TPB>>>(x, sums, squares, n);
    cudaDeviceSynchronize();
    float s = 0, q = 0;
    for (int b = 0; b < blocks; b++) { s += sums[b]; q += squares[b]; }
    printf("%.2f %.2f\n", s, q);
    return 0;
}
