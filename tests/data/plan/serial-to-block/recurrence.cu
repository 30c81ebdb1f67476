// kernel=smooth line=11 finding=KO112
__global__ void smooth(const float *x, float *y, float a, int n)
{
    float s = x[0];
    for (int i = 0; i < n; i++) {
        s = a * x[i] + (1.f - a) * s;
        y[i] = s;
    }
}

void run(float *x, float *y, int n) { smooth<<<1, 1>>>(x, y, 0.125f, n); }
