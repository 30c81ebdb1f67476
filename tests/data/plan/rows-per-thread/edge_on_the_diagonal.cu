// kernel=k line=8 finding=KO121
__global__ void k(const float *a, float *b, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    if (x == y) b[y * w + x] = 1.0f;
    else b[y * w + x] = a[y * w + x] + a[(y + 1) * w + x];
}
void run(const float *a, float *b, int w, int h) { k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, b, w, h); }
