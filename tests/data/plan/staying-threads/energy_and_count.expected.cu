// kernel=totals line=19 finding=KO115 technique=block-shuffles
struct Cell { double e; int alive; };

__global__ void totals(const Cell *cells, double *energy, int *alive, const int count)
{
    __shared__ double es[8];
    __shared__ int ns[8];
    const int id = threadIdx.x + blockIdx.x * blockDim.x;
    const int local = threadIdx.x;
    double thread_es = id < count && cells[id].alive ? cells[id].e : 0;
    int thread_ns = id < count ? cells[id].alive : 0;
    for (int offset = 16; offset > 0; offset /= 2)
    {
        thread_es += __shfl_down_sync(0xffffffff, thread_es, offset);
        thread_ns += __shfl_down_sync(0xffffffff, thread_ns, offset);
    }
    if (local % 32 == 0)
    {
        es[local / 32] = thread_es;
        ns[local / 32] = thread_ns;
    }
    __syncthreads();
    if (local == 0)
    {
        for (int warp = 1; warp < 8; warp++)
        {
            thread_es += es[warp];
            thread_ns += ns[warp];
        }
        atomicAdd(energy, thread_es);
        atomicAdd(alive, thread_ns);
    }
}

void run(const Cell *cells, double *energy, int *alive, int count)
{
    totals<<<count / 256 + 1, 256>>>(cells, energy, alive, count);
}
