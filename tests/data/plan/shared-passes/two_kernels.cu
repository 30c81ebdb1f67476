// kernel=butterfly line=8 finding=KO102
__global__ void butterfly(float *w, int half, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int i = p / half * 2 * half + p % half;
    float a = w[i];
    float b = w[i + half];
    w[i] = a + b;
    w[i + half] = a - b;
}

__global__ void halve(float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] *= 0.5f;
}

void spectrum(float *w, int pairs)
{
    for (int half = 1; half <= pairs; half *= 2) {
        butterfly<<<(pairs + 255) / 256, 256>>>(w, half, pairs);
        halve<<<(2 * pairs + 255) / 256, 256>>>(w, 2 * pairs);
    }
}
