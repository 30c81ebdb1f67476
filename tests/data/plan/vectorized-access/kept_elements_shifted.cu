// kernel=differences line=9 finding=KO118
// the difference of neighbours, by the element that the lane before keeps
__global__ void differences(const float *__restrict__ x, float *__restrict__ y, int rows)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return;
    float v[8];
    for (int k = 0; k < 8; ++k)
        v[k] = x[row * 256 + lane + 32 * k];
    for (int k = 0; k < 8; ++k)
        y[row * 256 + lane + 32 * k] = v[k] - __shfl_up_sync(0xffffffff, v[k], 1);
}
void run(const float *x, float *y, int rows) { differences<<<(rows + 3) / 4, 128>>>(x, y, rows); }
