// kernel=fill line=17 finding=KO125
__global__ void fill(int *score, const char *a, const char *b, int w, int d, int first, int count)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    int i = first + t;
    int j = d - i;
    int best = max(score[(i - 1) * w + j], score[i * w + j - 1]);
    score[i * w + j] = max(best, score[(i - 1) * w + j - 1] + (a[i - 1] == b[j - 1]));
}
void run(int *score, const char *a, const char *b, int m, int n)
{
    for (int d = 2; d <= m + n; d++) {
        int first = max(1, d - n);
        int count = min(m, d - 1) - first + 1;
        fill<<<(count + 63) / 64, 64>>>(score, a, b, n + 1, d, first, count);
    }
}
