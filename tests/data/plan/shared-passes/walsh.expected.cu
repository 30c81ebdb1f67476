// kernel=butterfly line=9 finding=KO102
template <typename T>
__global__ void butterfly(T* w, const unsigned half, unsigned pairs)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned i = (p / half) * (2 * half) + p % half;
    T a = w[i];
    T b = w[i + half];
    w[i] = a + b;
    w[i + half] = a - b;
}

// The passes of butterfly whose pairs lie in a block's tile, one after the other in shared memory.
template <typename T>
__global__ void butterfly_tile(T* w)
{
    __shared__ T tile[2 * 256];
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first = 2 * blockIdx.x * blockDim.x;
    tile[threadIdx.x] = w[first + threadIdx.x];
    tile[threadIdx.x + blockDim.x] = w[first + threadIdx.x + blockDim.x];
    for (unsigned half = 1; half <= blockDim.x; half *= 2) {
        __syncthreads();
        unsigned i = (p / half) * (2 * half) + p % half;
        T a = tile[i - first];
        T b = tile[i + half - first];
        tile[i - first] = a + b;
        tile[i + half - first] = a - b;
    }
    __syncthreads();
    w[first + threadIdx.x] = tile[threadIdx.x];
    w[first + threadIdx.x + blockDim.x] = tile[threadIdx.x + blockDim.x];
}

void spectrum(int *dw, unsigned n)
{
    const int block = 256;
    unsigned pairs = n / 2;
    for (unsigned half = 1; half < n; half *= 2) {
        // the pairs of the first passes lie in a block's tile
        if (half == 1 && block < n && pairs % block == 0) {
            butterfly_tile<int><<<(pairs + block - 1) / block, block>>>(dw);
            ok(cudaGetLastError(), "butterfly");
            half = block;
            continue;
        }
        butterfly<int><<<(pairs + block - 1) / block, block>>>(dw, half, pairs);
        ok(cudaGetLastError(), "butterfly");
    }
}
