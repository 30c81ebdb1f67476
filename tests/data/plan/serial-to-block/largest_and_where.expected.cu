// kernel=argmax line=9 finding=KO112
#include <cstdio>

// where the largest value stands, the first of several
__global__ void argmax(const int* values, int n, int* where)
{
    int largest = values[0];
    int index = 0;
    for (int i = 1 + threadIdx.x; i < n; i += 256)
    {
        if (values[i] > largest)
        {
            largest = values[i];
            index = i;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2)
    {
        int other_largest = __shfl_down_sync(0xffffffff, largest, offset);
        int other_index = __shfl_down_sync(0xffffffff, index, offset);
        if (other_largest > largest || (other_largest == largest && other_index < index))
        {
            largest = other_largest;
            index = other_index;
        }
    }
    __shared__ int warp_largest[8];
    __shared__ int warp_index[8];
    if (threadIdx.x % 32 == 0)
    {
        warp_largest[threadIdx.x / 32] = largest;
        warp_index[threadIdx.x / 32] = index;
    }
    __syncthreads();
    largest = warp_largest[0];
    index = warp_index[0];
    for (int warp = 1; warp < 8; warp++)
    {
        if (warp_largest[warp] > largest || (warp_largest[warp] == largest && warp_index[warp] < index))
        {
            largest = warp_largest[warp];
            index = warp_index[warp];
        }
    }
    if (threadIdx.x == 0) *where = index;
}

int main()
{
    const int n = 3000;
    int *values, *where;
    cudaMallocManaged(&values, n * sizeof(int));
    cudaMallocManaged(&where, sizeof(int));
    for (int i = 0; i < n; i++) values[i] = (i * 7919) % 1009;
    argmax<<<1, 256>>>(values, n, where);
    cudaDeviceSynchronize();
    printf("%d\n", *where);
    return 0;
}
