// kernel=butterfly line=6 finding=KO102
__global__ void butterfly(float *w, int half)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int i = p / half * 2 * half + p % half;
    float a = __ldg(&w[i]), b = __ldg(&w[i + half]);
    w[i] = a + b;
    w[i + half] = a - b;
}

void spectrum(float *w, int n)
{
    for (int half = 1; half < n; half *= 2) butterfly<<<n / 512, 256>>>(w, half);
}
