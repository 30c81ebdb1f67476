// kernel=dequantize line=7 finding=KO101
__global__ void dequantize(const unsigned char* __restrict__ packed, const float* codebook, const float* scales, float* __restrict__ out, long n)
{
    __shared__ float codebook_table[16];
    if (threadIdx.x < 16) codebook_table[threadIdx.x] = codebook[threadIdx.x];
    __syncthreads();
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n / 2; i += (long)gridDim.x * blockDim.x) {
        unsigned char p = packed[i];
        float s = scales[2 * i / 64];
        out[2 * i] = codebook_table[p >> 4] * s;
        out[2 * i + 1] = codebook_table[p & 15] * s;
    }
}

void run(const unsigned char* packed, const float* host_codes, const float* scales, float* out, long n)
{
    float* codebook;
    cudaMalloc(&codebook, 16 * sizeof(float));
    cudaMemcpy(codebook, host_codes, 16 * sizeof(float), cudaMemcpyHostToDevice);
    dequantize<<<264, 256>>>(packed, codebook, scales, out, n);
    cudaFree(codebook);
}
