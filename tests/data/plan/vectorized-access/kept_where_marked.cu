// kernel=keep_marked line=10 finding=KO118
__global__ void keep_marked(const unsigned char *__restrict__ mark, const float *__restrict__ x, float *__restrict__ y, int n)
{
    int lane = threadIdx.x & 31, row = blockIdx.x * 4 + (threadIdx.x >> 5);
    const unsigned char *m = &mark[row * n];
    const float *from = &x[row * n];
    float *to = &y[row * n];
    float sum = 0;
    for (int i = lane; i < n; i += 32)
        if (m[i]) to[i] = 2 * from[i];
    for (int i = lane; i < n; i += 32) sum += from[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) y[gridDim.x * 4 * n + row] = sum;
}
void run(const unsigned char *m, const float *x, float *y, int rows, int n) { keep_marked<<<rows / 4, 128>>>(m, x, y, n); }
