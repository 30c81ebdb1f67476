// kernel=learn line=6 finding=KO101
__global__ void learn(const int *tokens, float *weight, float *__restrict__ error, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float e = error[i];
        e -= weight[tokens[i]];
        atomicAdd(&weight[tokens[i]], e * 0.1f);
        error[i] = e;
    }
}

void run(const int *tokens, float *error, int n)
{
    float *weight;
    cudaMalloc(&weight, 64 * sizeof(float));
    learn<<<132, 256>>>(tokens, weight, error, n);
}
