// kernel=fill line=12 finding=KO125
__global__ void fill(int *score, const char *a, const char *b, int n, int d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = d - 0 * j;
    if (j > n)
        return;
    int w = n + 1;
    int best = score[(i - 1) * w + j];
    score[i * w + j] = max(best, score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1]));
}
void run(int *score, const char *a, const char *b, int n) { for (int d = 1; d <= n; d++) fill<<<(n + 63) / 64, 64>>>(score, a, b, n, d); }
