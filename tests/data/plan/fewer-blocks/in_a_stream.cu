// kernel=degree_counts line=17 finding=KO110
#include <cstdio>
#include <vector>

namespace graph {

__global__ void degree_counts(const unsigned *rows, unsigned long edges, unsigned *degrees, unsigned parts, unsigned shift)
{
    extern __shared__ unsigned mine[];
    for (unsigned p = threadIdx.x; p < parts; p += blockDim.x)
        mine[p] = 0;
    __syncthreads();
    for (unsigned long e = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += (unsigned long)gridDim.x * blockDim.x)
        atomicAdd(&mine[rows[e] >> shift], 1u);
    __syncthreads();
    for (unsigned p = threadIdx.x; p < parts; p += blockDim.x)
        if (mine[p]) atomicAdd(&degrees[p], mine[p]);
}

inline unsigned div_up(unsigned long a, unsigned long b) { return (unsigned)((a + b - 1) / b); }

void count_degrees(const unsigned *rows, unsigned long edges, unsigned *degrees, unsigned parts, unsigned shift, cudaStream_t stream)
{
    cudaMemsetAsync(degrees, 0, parts * sizeof(unsigned), stream);
    degree_counts<<<div_up(edges, 256 * 4), 256, parts * sizeof(unsigned), stream>>>(rows, edges, degrees, parts, shift);
}

}  // namespace graph

int main()
{
    const unsigned long edges = 16000;
    const unsigned parts = 75;
    std::vector<unsigned> rows(edges), degrees(parts);
    for (unsigned long e = 0; e < edges; e++) rows[e] = (e * 7919) % (parts << 4);
    unsigned *d_rows, *d_degrees;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_rows, edges * sizeof(unsigned));
    cudaMalloc(&d_degrees, parts * sizeof(unsigned));
    cudaMemcpyAsync(d_rows, rows.data(), edges * sizeof(unsigned), cudaMemcpyHostToDevice, stream);
    graph::count_degrees(d_rows, edges, d_degrees, parts, 4, stream);
    cudaMemcpyAsync(degrees.data(), d_degrees, parts * sizeof(unsigned), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (unsigned p = 0; p < parts; p += 10) printf("%u: %u\n", p, degrees[p]);
    cudaStreamDestroy(stream);
    return 0;
}
