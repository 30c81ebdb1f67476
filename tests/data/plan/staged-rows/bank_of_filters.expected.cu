// kernel=bank line=11 finding=KO101
#define SECTIONS 2

__global__ void bank(float *out, const float *in, const float *coef, int channels, int samples)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = ch < channels;

    float s[SECTIONS] = {0.0f, 0.0f};
    __shared__ float in_tile[64][32 + 1];
    __shared__ float out_tile[64][32 + 1];
    for (int chunk = 0; chunk < samples; chunk += 32) {
        const int column = threadIdx.x % 32;
        const int at = chunk + column;
        const int chunk_end = min(chunk + 32, samples);
        if (at < chunk_end)
            for (int r = threadIdx.x / 32; r < 64; r += 2) {
                const int other_ch = blockIdx.x * blockDim.x + r;
                if (other_ch < channels)
                    in_tile[r][column] = in[other_ch * samples + at];
            }
        __syncthreads();
        if (is_inside)
            for (int t = chunk; t < chunk_end; t++) {
                float v = in_tile[threadIdx.x][t - chunk];
                for (int k = 0; k < SECTIONS; k++) {
                    const float *c = coef + (ch * SECTIONS + k) * 2;
                    s[k] = c[0] * v + c[1] * s[k];
                    v = v - s[k];
                }
                out_tile[threadIdx.x][t - chunk] = v;
            }
        __syncthreads();
        if (at < chunk_end)
            for (int r = threadIdx.x / 32; r < 64; r += 2) {
                const int other_ch = blockIdx.x * blockDim.x + r;
                if (other_ch < channels)
                    out[other_ch * samples + at] = out_tile[r][column];
            }
    }
}

int main()
{
    float *in, *out, *coef;
    cudaMalloc(&in, 1000 * 400 * sizeof(float));
    cudaMalloc(&out, 1000 * 400 * sizeof(float));
    cudaMalloc(&coef, 1000 * 4 * sizeof(float));
    bank<<<16, 64>>>(out, in, coef, 1000, 400);
    cudaDeviceSynchronize();
}
