// kernel=sums line=9 finding=KO112
__global__ void sums(const int *x, int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    out[0] = sum;
}

void run(int *x, int *w, int n) { sums<<<4, 1>>>(x, w, n); }
