// kernel=last line=9 finding=KO118
__global__ void last(const float *__restrict__ x, float *__restrict__ y, int rows)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    float v[8];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        v[k] = x[row * 256 + lane + 32 * k];
        sum += v[k];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 31) y[row] = v[7] / sum;
}
void run(const float *x, float *y, int rows) { last<<<rows / 4, 128>>>(x, y, rows); }
