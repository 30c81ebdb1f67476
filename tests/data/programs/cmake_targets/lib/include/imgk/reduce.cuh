#pragma once
// block sums of anything that has +=; partial[] gets one value per block
namespace imgk {

template <typename T, int BLOCK>
__global__ void block_sums(const T *in, T *partial, int n)
{
    __shared__ T s[BLOCK];
    T mine = T(0);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x)
        mine += in[i];
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}

}
