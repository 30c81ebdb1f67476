// kernel=fill line=14 finding=KO125
#include <utility>
__global__ void fill(const int *before, const int *last, int *next, const char *a, const char *b, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = d - i;
    if (i > n || j < 1 || j > n) return;
    next[i] = max(before[i - 1] + (a[i - 1] == b[j - 1]), max(last[i], last[i - 1]) - 1);
}

void run(int *before, int *last, int *next, const char *a, const char *b, int n)
{
    for (int d = 2; d <= 2 * n; d++) {
        fill<<<(n + 63) / 64, 64>>>(before, last, next, a, b, n, d);
        std::swap(before, last);
        std::swap(last, next);
    }
}
