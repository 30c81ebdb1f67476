// kernel=fill line=13 finding=KO125
__global__ void fill(float *cost, const float *x, const float *y, int n, int wave)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    int j = wave - i;
    if (i > n || j < 2 || j > n) return;
    int w = n + 1;
    float best = fminf(cost[(i - 1) * w + j - 1], fminf(cost[(i - 2) * w + j - 1], cost[(i - 1) * w + j - 2]));
    cost[i * w + j] = best + fabsf(x[i - 1] - y[j - 1]);
}
void run(float *cost, const float *x, const float *y, int n)
{
    for (int wave = 4; wave <= 2 * n; wave++) fill<<<(n + 127) / 128, 128>>>(cost, x, y, n, wave);
}
