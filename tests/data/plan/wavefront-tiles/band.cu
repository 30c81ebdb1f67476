// kernel=fill line=13 finding=KO125
__global__ void fill(float *cost, const float *x, const float *y, int n, int band, int wave)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = wave - i;
    if (i > n || j < 1 || j > n || i - j > band || j - i > band) return;
    float best = fminf(cost[(i - 1) * (n + 1) + j - 1], fminf(cost[(i - 1) * (n + 1) + j], cost[i * (n + 1) + j - 1]));
    cost[i * (n + 1) + j] = best + fabsf(x[i - 1] - y[j - 1]);
}
void run(float *cost, const float *x, const float *y, int n, int band)
{
    for (int wave = 2; wave <= 2 * n; wave++)
        fill<<<(n + 127) / 128, 128>>>(cost, x, y, n, band, wave);
}
