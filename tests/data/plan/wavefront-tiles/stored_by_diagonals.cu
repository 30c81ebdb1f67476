// kernel=fill line=11 finding=KO125
__global__ void fill(int *table, const char *a, const char *b, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = d - i;
    if (i > n || j < 1 || j > n) return;
    int w = n + 1;
    int best = max(table[(d - 1) * w + i], table[(d - 1) * w + i - 1]) - 1;
    table[d * w + i] = max(best, table[(d - 2) * w + i - 1] + (a[i - 1] == b[j - 1]));
}
void run(int *table, const char *a, const char *b, int n) { for (int d = 2; d <= 2 * n; d++) fill<<<(n + 63) / 64, 64>>>(table, a, b, n, d); }
