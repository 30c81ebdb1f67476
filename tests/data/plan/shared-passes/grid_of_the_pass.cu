// kernel=fold line=5 finding=KO124
__global__ void fold(float *v, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) v[i] += v[i + half];
}

void total(float *v, int n)
{
    for (int half = n / 2; half > 0; half /= 2) fold<<<(half + 255) / 256, 256>>>(v, half);
}
