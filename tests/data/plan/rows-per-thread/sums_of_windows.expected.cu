// kernel=k line=9 finding=KO121
__global__ void k(const float *a, float *b, float *c, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first_y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    if (x >= w || first_y >= h - 8) return;
    float sum[4] = {};
    float a_window[11];
    bool is_inside[11];
    #pragma unroll
    for (int d = 0; d < 11; d++) {
        is_inside[d] = first_y + d < (h - 8) + 7;
        if (is_inside[d])
            a_window[d] = a[(first_y + d) * w + x];
    }
    #pragma unroll
    for (int d = 0; d < 8; d++) {
        #pragma unroll
        for (int q = 0; q < 4; q++) {
            if (is_inside[d + q])
                sum[q] += a_window[d + q];
        }
    }
    #pragma unroll
    for (int q = 0; q < 4; q++) {
        const int y = first_y + q;
        if (y < h - 8)
            b[y * w + x] = sum[q];
    }
}
void run(const float *a, float *b, float *c, int w, int h) { k<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(a, b, c, w, h); }
