// kernel=butterfly line=8 finding=KO102
__global__ void butterfly(float *w, int half, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int i = p / half * 2 * half + p % half;
    float a = w[i];
    float b = w[i + half];
    atomicAdd(&w[i], b);
    w[i + half] = a - b;
}

void spectrum(float *w, int pairs)
{
    for (int half = 1; half <= pairs; half *= 2)
        butterfly<<<(pairs + 255) / 256, 256>>>(w, half, pairs);
}
