// kernel=totals line=19 finding=KO115 technique=block-shuffles
struct Cell { double e; int alive; };

__global__ void totals(const Cell *cells, double *energy, int *alive, const int count)
{
    __shared__ double es[256];
    __shared__ int ns[256];
    const int id = threadIdx.x + blockIdx.x * blockDim.x;
    const int local = threadIdx.x;
    if (id >= count)
    {
        return;
    }
    es[local] = cells[id].alive ? cells[id].e : 0;
    ns[local] = cells[id].alive;
    __syncthreads();

    int half = blockDim.x / 2;
    while (half != 0)
    {
        if (local < half)
        {
            es[local] += es[local + half];
            ns[local] += ns[local + half];
        }
        __syncthreads();
        half /= 2;
    }
    if (local == 0)
    {
        atomicAdd(energy, es[0]);
        atomicAdd(alive, ns[0]);
    }
}

void run(const Cell *cells, double *energy, int *alive, int count)
{
    totals<<<count / 256 + 1, 256>>>(cells, energy, alive, count);
}
