// kernel=step line=10 finding=KO125
// Columns begin at 0 and rows are as long as there are columns: left of column 0 is the end of the row above.
__global__ void step(int *t, const char *a, const char *b, int n, int m, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = d - i;
    if (i > n || j < 0 || j >= m) return;
    int v = t[(i - 1) * m + j] + 1;
    v = min(v, t[i * m + j - 1] + 1);
    t[i * m + j] = min(v, t[(i - 1) * m + j - 1] + (a[i - 1] == b[j] ? 0 : 1));
}
void fill(int *t, const char *a, const char *b, int n, int m)
{
    for (int d = 1; d < n + m; d++)
        step<<<(n + 127) / 128, 128>>>(t + 1, a, b, n, m, d);
}
