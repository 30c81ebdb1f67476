// kernel=fill line=11 finding=KO125
__global__ void fill(int *score, const char *a, const char *b, const bool *open, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = d - i;
    if (i > n || j < 1 || j > n || !open[i * n + j]) return;
    int w = n + 1;
    int best = max(score[(i - 1) * w + j], score[i * w + j - 1]);
    score[i * w + j] = max(best, score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1]));
}
void run(int *score, const char *a, const char *b, const bool *open, int n) { for (int d = 2; d <= 2 * n; d++) fill<<<(n + 63) / 64, 64>>>(score, a, b, open, n, d); }
