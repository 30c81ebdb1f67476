// kernel=k line=7 finding=KO121
__global__ void k(const float *a, float *b, float *c, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    b[y * w + x] = a[y * w + x];
    c[y * w + x] = b[y * w + x] * 2.0f;
}
void run(const float *a, float *b, float *c, int w, int h) { k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, b, c, w, h); }
