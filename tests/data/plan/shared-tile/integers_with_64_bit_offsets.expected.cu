// kernel=boolean_product line=14 finding=KO108
#include <cstdio>

// counts the common neighbours of two nodes in a graph
__global__ void boolean_product(int *counts, const int *adjacency, int nodes)
{
    const int i = blockIdx.y * 32 + threadIdx.y;
    const int j = blockIdx.x * 32 + threadIdx.x;
    int count = 0;
    __shared__ int adjacency_tile[32][32];
    for (int tile = 0; tile < nodes; tile += 32) {
        adjacency_tile[threadIdx.y][threadIdx.x] = i < nodes && tile + threadIdx.x < nodes ? adjacency[(size_t)i * nodes + tile + threadIdx.x] : 0;
        __syncthreads();
        if (i < nodes && j < nodes)
            for (int via = tile; via < tile + 32 && via < nodes; via += 1) {
                if (adjacency_tile[threadIdx.y][via - tile])
                    count += adjacency[(size_t)via * nodes + j];
            }
        __syncthreads();
    }
    if (i < nodes && j < nodes)
    {
        if (i == j)
            count = 0;
        counts[(size_t)i * nodes + j] = count;
    }
}

int main()
{
    const int nodes = 45;
    int *adjacency, *counts;
    cudaMallocManaged(&adjacency, nodes * nodes * sizeof(int));
    cudaMallocManaged(&counts, nodes * nodes * sizeof(int));
    for (int i = 0; i < nodes * nodes; ++i) adjacency[i] = (i / nodes + i) % 3 == 0;
    dim3 grid(2, 2);
    boolean_product<<<grid, dim3(32, 32)>>>(counts, adjacency, nodes);
    cudaDeviceSynchronize();
    for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j)
        {
            int want = 0;
            for (int v = 0; v < nodes; ++v) want += adjacency[i * nodes + v] && adjacency[v * nodes + j];
            if (counts[i * nodes + j] != (i == j ? 0 : want)) return puts("FAIL"), 1;
        }
    puts("PASS");
    return 0;
}
