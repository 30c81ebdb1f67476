// kernel=squares line=7 finding=KO115
#define N 256

__device__ double block_sum(double v, double *s)
{
    s[threadIdx.x] = v; __syncthreads();
    for (int w = N / 2; w; w /= 2) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    return s[0];
}

__device__ double square_sum(double v)
{
    __shared__ double s[N];
    return block_sum(v * v, s);
}

__global__ void squares(int n, const double *r, double *part)
{
    int i = blockIdx.x * N + threadIdx.x;
    if (i >= n) return;
    double all = square_sum(r[i]);
    if (threadIdx.x == 0) part[blockIdx.x] = all;
}

void run(int n, const double *r, double *part) { squares<<<(n + N - 1) / N, N>>>(n, r, part); }
