// kernel=scatter line=11 finding=KO110
#include <cstdio>

enum { GENES = 40, LANES = 6 };

template <typename Real>
__global__ void scatter(const short *gene, const Real *weight, Real *expression, int reads) {
    __shared__ Real block_expression[240];
    for (int bin = threadIdx.x; bin < 240; bin += blockDim.x)
        block_expression[bin] = 0;
    __syncthreads();
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < reads; r += gridDim.x * blockDim.x) {
        Real *row = block_expression + gene[r] * LANES;
        for (int l = 0; l < LANES; l++)
            atomicAdd(&row[l], weight[r * LANES + l]);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 240; bin += blockDim.x)
        atomicAdd(&expression[bin], block_expression[bin]);
}

int main() {
    const int reads = 30000;
    short *gene;
    double *weight, *expression;
    cudaMallocManaged(&gene, reads * sizeof(short));
    cudaMallocManaged(&weight, reads * LANES * sizeof(double));
    cudaMallocManaged(&expression, GENES * LANES * sizeof(double));
    for (int i = 0; i < reads; i++) gene[i] = i * 13 % GENES;
    for (int i = 0; i < reads * LANES; i++) weight[i] = i % 11 * 0.25;
    cudaMemset(expression, 0, GENES * LANES * sizeof(double));
    scatter<<<32, 160>>>(gene, weight, expression, reads);
    cudaDeviceSynchronize();
    for (int g = 0; g < GENES; g++) printf("%.2f ", expression[g * LANES + g % LANES]);
    printf("\n");
    return 0;
}
