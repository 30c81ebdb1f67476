// kernel=shares line=8 finding=KO118
__global__ void shares(const float *x, float *y, int n)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    const float *from = x + row * n;
    float *to = y + row * n;
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += from[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) {
        if (sum == 0) sum = 1;
    }
    for (int i = lane; i < n; i += 32) to[i] = from[i] / sum;
}
void run(const float *x, float *y, int rows, int n) { shares<<<rows / 8, 256>>>(x, y, n); }
