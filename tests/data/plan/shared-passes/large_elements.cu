// kernel=butterfly line=10 finding=KO102
struct Cell { double values[16]; };

__global__ void butterfly(Cell *w, int half, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int i = p / half * 2 * half + p % half;
    Cell a = w[i];
    Cell b = w[i + half];
    w[i] = b;
    w[i + half] = a;
}

void spectrum(Cell *w, int pairs)
{
    for (int half = 1; half <= pairs; half *= 2)
        butterfly<<<(pairs + 255) / 256, 256>>>(w, half, pairs);
}
