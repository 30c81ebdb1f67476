// kernel=rowLengths line=18 finding=KO110
#include <cstdio>
#include <vector>
#define MAX_LENGTH 65

__global__ void rowLengths(const int *offsets, int *lengths, int rows)
{
    __shared__ int counts[MAX_LENGTH];
    for (int l = threadIdx.x; l < MAX_LENGTH; l += blockDim.x)
        counts[l] = 0;
    __syncthreads();
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += blockDim.x * gridDim.x) {
        int length = offsets[r + 1] - offsets[r];
        atomicAdd(&counts[length < MAX_LENGTH ? length : MAX_LENGTH - 1], 1);
    }
    __syncthreads();
    for (int l = threadIdx.x; l < MAX_LENGTH; l += blockDim.x)
        atomicAdd(&lengths[l], counts[l]);
}

int main()
{
    const int rows = 7000;
    std::vector<int> offsets(rows + 1), lengths(MAX_LENGTH);
    for (int r = 0; r < rows; r++) offsets[r + 1] = offsets[r] + r * 37 % 71;
    int *d_offsets, *d_lengths;
    cudaMalloc(&d_offsets, (rows + 1) * sizeof(int));
    cudaMalloc(&d_lengths, MAX_LENGTH * sizeof(int));
    cudaMemcpy(d_offsets, offsets.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_lengths, 0, MAX_LENGTH * sizeof(int));
    const int threads = 256;
    rowLengths<<<(rows + threads - 1) / threads, threads>>>(d_offsets, d_lengths, rows);
    cudaMemcpy(lengths.data(), d_lengths, MAX_LENGTH * sizeof(int), cudaMemcpyDeviceToHost);
    for (int l = 0; l < MAX_LENGTH; l += 8) printf("%d ", lengths[l]);
    printf("\n");
    return 0;
}
