// kernel=weigh line=21 finding=KO110
#include <cstdio>
#include <vector>

#define SLOTS 24

// the sums of all blocks together, and how much each of them found
__global__ void weigh(const float *w, float *sum, unsigned *found, float least, int n)
{
    __shared__ float block_sum;
    __shared__ unsigned block_found;
    if (threadIdx.x == 0) { block_sum = 0; block_found = 0; }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (w[i] >= least) {
            atomicAdd(&block_sum, w[i]);
            atomicAdd(&block_found, 1u);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(sum, block_sum);
        found[blockIdx.x] = block_found;
    }
}

int main()
{
    const int n = 15000;
    std::vector<float> w(n);
    for (int i = 0; i < n; i++) w[i] = (i * 3 % 64) * 0.25f;
    float *d_w, *d_sum, sum;
    unsigned *d_found, found[SLOTS];
    cudaMalloc(&d_w, n * sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));
    cudaMalloc(&d_found, sizeof(found));
    cudaMemcpy(d_w, w.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, sizeof(float));
    weigh<<<SLOTS, 256>>>(d_w, d_sum, d_found, 8.0f, n);
    cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(found, d_found, sizeof(found), cudaMemcpyDeviceToHost);
    unsigned most = 0;
    for (int b = 0; b < SLOTS; b++) most = found[b] > most ? found[b] : most;
    printf("%.2f, at most %u a block\n", sum, most);
    return 0;
}
