// kernel=embed line=5 finding=KO101
__global__ void embed(const int *tokens, const float *vectors, float *__restrict__ out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = vectors[tokens[i]];
}

void run(const int *tokens, float *out, int n)
{
    float *vectors;
    cudaMalloc(&vectors, 50000 * sizeof(float));
    embed<<<132, 256>>>(tokens, vectors, out, n);
}
