// kernel=centroidSums line=14 finding=KO110
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Region { int area; int minRow; long long sx, sy; };   // minRow by another kernel
struct Sum { unsigned long long row, col; unsigned area; };
template <int W>
__global__ void centroidSums(const int* labels, int rows, Sum* sums, int nLabels)
{
    extern __shared__ Sum block_sums[];
    for (int bin = threadIdx.x; bin < nLabels; bin += blockDim.x)
        block_sums[bin] = {};
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * W; i += gridDim.x * blockDim.x) {
        const int lab = labels[i];
        if (lab < 0) continue;
        Sum& s = block_sums[lab];
        atomicAdd(&s.row, (unsigned long long)(i / W));
        atomicAdd(&s.col, (unsigned long long)(i % W));
        atomicAdd(&s.area, 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < nLabels; bin += blockDim.x) {
        atomicAdd(&sums[bin].row, block_sums[bin].row);
        atomicAdd(&sums[bin].col, block_sums[bin].col);
        atomicAdd(&sums[bin].area, block_sums[bin].area);
    }
}
int main(int argc, char** argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 70;
    int nLabels = argc > 2 ? atoi(argv[2]) : 19;
    constexpr int W = 100;
    std::vector<int> l(rows * W);
    for (size_t i = 0; i < l.size(); ++i) l[i] = (int)(i * 2654435761u >> 20) % (nLabels + 1) - 1;
    int* dl; Sum* ds;
    cudaMalloc(&dl, l.size() * sizeof(int));
    cudaMalloc(&ds, nLabels * sizeof(Sum));
    cudaMemcpy(dl, l.data(), l.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, nLabels * sizeof(Sum));
    centroidSums<W><<<64, 128, nLabels * sizeof(Sum)>>>(dl, rows, ds, nLabels);
    std::vector<Sum> s(nLabels);
    cudaMemcpy(s.data(), ds, nLabels * sizeof(Sum), cudaMemcpyDeviceToHost);
    for (int i = 0; i < nLabels; ++i) printf("%d: %.2f %.2f %u\n", i, (double)s[i].row / s[i].area, (double)s[i].col / s[i].area, s[i].area);
}
