// kernel=embed line=5 finding=KO101
__global__ void embed(const int *tokens, const float *vectors, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = vectors[tokens[i]];
}

void run(const int *tokens, int n)
{
    float *vectors;
    cudaMalloc(&vectors, 500 * sizeof(float));
    embed<<<132, 256>>>(tokens, vectors, vectors + 64, n);
}
