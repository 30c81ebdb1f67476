// kernel=squares line=9 finding=KO115
#define N 256

__device__ unsigned ticket;

__device__ double block_sum(double v, double *s)
{
    s[threadIdx.x] = v; __syncthreads();
    for (int w = N / 2; w; w /= 2) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    return s[0];
}

__device__ double grid_sum(double v, double *part)
{
    __shared__ double s[N];
    __shared__ bool last;
    double t = block_sum(v, s);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = t;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return 0;
    return block_sum(threadIdx.x < gridDim.x ? part[threadIdx.x] : 0.0, s);
}

__global__ void squares(int n, const double *r, double *part, double *out)
{
    double v = 0;
    for (int i = blockIdx.x * N + threadIdx.x; i < n; i += N * gridDim.x) v += r[i] * r[i];
    double all = grid_sum(v, part);
    if (threadIdx.x == 0 && all > 0) *out = all;
}

void run(int n, const double *r, double *part, double *out) { squares<<<48, N>>>(n, r, part, out); }
