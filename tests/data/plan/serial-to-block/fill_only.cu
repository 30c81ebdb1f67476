// kernel=fill line=7 finding=KO112
__global__ void fill(float *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = i * 0.5f;
}

void run(float *x, int n) { fill<<<1, 1>>>(x, n); }
