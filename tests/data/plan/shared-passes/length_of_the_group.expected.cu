// kernel=merge_halves line=13 finding=KO102
enum { WIDTH = 64 };

__global__ void merge_halves(
    float *data,
    int len,
    int total,
    float scale)
{
    const int pair = threadIdx.x + blockIdx.x * WIDTH;
    const int half = len >> 1;
    const int at = (pair / half) * len + pair % half;
    if (at + half >= total)
        return;
    const float sum = data[at] + data[at + half];
    data[at + half] = scale * (data[at] - data[at + half]);
    data[at] = scale * sum;
}

// The passes of merge_halves whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void merge_halves_tile(
    float *data,
    float scale)
{
    __shared__ float tile[2 * WIDTH];
    const int pair = threadIdx.x + blockIdx.x * WIDTH;
    const int first = 2 * blockIdx.x * blockDim.x;
    tile[threadIdx.x] = data[first + threadIdx.x];
    tile[threadIdx.x + blockDim.x] = data[first + threadIdx.x + blockDim.x];
    for (int len = 2; len <= 2 * blockDim.x; len += len) {
        __syncthreads();
        const int half = len >> 1;
        const int at = (pair / half) * len + pair % half;
        const float sum = tile[at - first] + tile[at + half - first];
        tile[at + half - first] = scale * (tile[at - first] - tile[at + half - first]);
        tile[at - first] = scale * sum;
    }
    __syncthreads();
    data[first + threadIdx.x] = tile[threadIdx.x];
    data[first + threadIdx.x + blockDim.x] = tile[threadIdx.x + blockDim.x];
}

void merge_all(float *data, int total)
{
    for (int len = 2; len <= total; len += len) {
        // the pairs of the first passes lie in a block's tile
        if (len == 2 && 2 * WIDTH <= total && total % (2 * WIDTH) == 0) {
            merge_halves_tile<<<(total / 2 + WIDTH - 1) / WIDTH, WIDTH>>>(data, 0.5f);
            len = 2 * WIDTH;
            continue;
        }
        merge_halves<<<(total / 2 + WIDTH - 1) / WIDTH, WIDTH>>>(data, len, total, 0.5f);
    }
}
