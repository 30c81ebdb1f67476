// kernel=weighted line=9 finding=KO118
// each lane has a weight of its own
__global__ void weighted(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int rows)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    const float own = w[lane];
    float v[8];
    for (int k = 0; k < 8; ++k)
        v[k] = x[row * 256 + lane + 32 * k];
    for (int k = 0; k < 8; ++k)
        y[row * 256 + lane + 32 * k] = v[k] * own;
}
void run(const float *x, const float *w, float *y, int rows) { weighted<<<rows / 4, 128>>>(x, w, y, rows); }
