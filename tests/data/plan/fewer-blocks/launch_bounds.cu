// kernel=ages line=16 finding=KO110
#include <cstdio>
#include <vector>
#define YEARS 110

__global__ __launch_bounds__(256) void ages(const short *age, int *count, int n)
{
    __shared__ int mine[YEARS];
    for (int k = threadIdx.x; k < YEARS; k += blockDim.x)
        mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[age[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < YEARS; k += blockDim.x)
        atomicAdd(&count[k], mine[k]);
}

int main()
{
    const int n = 20000;
    std::vector<short> age(n);
    for (int i = 0; i < n; i++) age[i] = i * 3 % YEARS;
    short *d_age;
    int *d_count, count[YEARS];
    cudaMalloc(&d_age, n * sizeof(short));
    cudaMalloc(&d_count, sizeof(count));
    cudaMemcpy(d_age, age.data(), n * sizeof(short), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(count));
    ages<<<32, 256>>>(d_age, d_count, n);
    cudaMemcpy(count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
    printf("%d %d\n", count[0], count[YEARS - 1]);
    return 0;
}
