// kernel=count_near line=6 finding=KO108
__global__ void count_near(const int *x, int *near, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++)
        if (abs(x[j] - i) < 9) near[i]++;
}

void run(int *all, int n) { count_near<<<(n + 127) / 128, 128>>>(all, all + n / 2, n); }
