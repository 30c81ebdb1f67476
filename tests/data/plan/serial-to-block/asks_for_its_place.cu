// kernel=total line=6 finding=KO111
__global__ void total(const float *x, int n, float *out)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += x[i];
        *out = sum;
    }
}

void run(const float *x, int n, float *out) { total<<<1, 1>>>(x, n, out); }
