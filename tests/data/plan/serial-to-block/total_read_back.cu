// kernel=cascade line=11 finding=KO112
__global__ void cascade(const float *x, float *out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    out[0] = sum;
    float part = out[0] / n;
    out[1] = part;
}

void run(float *x, float *w, int n) { cascade<<<1, 1>>>(x, w, n); }
