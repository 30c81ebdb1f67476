// kernel=lift line=9 finding=KO102
__global__ void lift(short *v, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = i ^ (1 << level);
    if (j < i) return;
    short a = v[i], b = v[j];
    short difference = b - a;
    v[j] = difference;
    v[i] = a + difference / 2;
}

void levels(short *v, int blocks, int top)
{
    for (int level = top; level >= 0; --level) lift<<<blocks, 64>>>(v, level);
}
