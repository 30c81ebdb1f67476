// kernel=combine line=8 finding=KO124
__global__ void combine(unsigned char *bits, int half, int span)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    // where the pair begins
    int low = p / half * span + p % half;
    unsigned char a = bits[low], b = bits[low + half];
    bits[low] = a ^ b;
    bits[low + half] = b;
}

void combine_all(unsigned char *bits, int blocks)
{
    for (int span = 1 << 20; span > 1; span >>= 1) {
        int half = span / 2;
        combine<<<blocks, 32>>>(bits, half, span);
    }
}
