// kernel=shares line=6 finding=KO118
__global__ void shares(const float *x, const float *total, float *y, int n)
{
    const bool aligned = (reinterpret_cast<size_t>(x) | reinterpret_cast<size_t>(y)) % 16 == 0;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (aligned && first + 4 <= n) {
        alignas(16) float x4[4];
        *reinterpret_cast<float4 *>(x4) = *reinterpret_cast<const float4 *>(x + first);
        alignas(16) float y4[4];
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            y4[k] = x4[k] / total[0];
        *reinterpret_cast<float4 *>(y + first) = *reinterpret_cast<float4 *>(y4);
    } else {
        for (int i = first; i < n && i < first + 4; ++i)
            y[i] = x[i] / total[0];
    }
}

void run(const float *x, const float *total, float *y, int n) { shares<<<(n + 1023) / 1024, 256>>>(x, total, y, n); }
