// kernel=fill line=12 finding=KO125
__global__ void fill(int *score, const char *a, const char *b, int n, int d)
{
    int i = threadIdx.x + 1;
    int j = d - i;
    if (i <= n && j >= 1 && j <= n) {
        int w = n + 1;
        int best = max(score[(i - 1) * w + j], score[i * w + j - 1]);
        score[i * w + j] = max(best, score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1]));
    }
}
void run(int *score, const char *a, const char *b, int n) { for (int d = 2; d <= 2 * n; d++) fill<<<1, 512>>>(score, a, b, n, d); }
