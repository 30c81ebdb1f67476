// kernel=warp line=5 finding=KO106
__global__ void warp(float *column, const float *shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) column[i] = i + 0.5 * shift[i];
}

__global__ void sample(float *out, const float *line, const float *column, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = fminf(fmaxf(column[i], 0.0f), n - 2.0f);
        int left = (int)x;
        float weight = x - left;
        out[i] = line[left] * (1.0f - weight) + line[left + 1] * weight;
    }
}

void move(float *out, const float *line, float *column, const float *shift, int n)
{
    warp<<<(n + 255) / 256, 256>>>(column, shift, n);
    sample<<<(n + 255) / 256, 256>>>(out, line, column, n);
}
