// kernel=weigh line=13 finding=KO101
constexpr int kThreads = 64;
__global__ void weigh(const int *items, const double *weight, double *total, int n, int per_thread)
{
    // one partial sum a thread
    __shared__ double weight_table[50];
    for (int entry = threadIdx.x; entry < 50; entry += kThreads)
        weight_table[entry] = weight[entry];
    __syncthreads();
    __shared__ double part[64];
    int first = (blockIdx.x * 64 + threadIdx.x) * per_thread;
    double sum = 0.0;
    for (int k = 0; k < per_thread; ++k)
    {
        if (first + k < n)
        {
            sum += weight_table[items[first + k] % 50];
        }
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int t = 0; t < 64; ++t) total[blockIdx.x] += part[t];
}

void run(const int *items, const double *values, double *other, int n)
{
    double *weight, *total;
    cudaMalloc(&weight, 50 * sizeof(double));
    cudaMalloc(&total, 100 * sizeof(double));
    weigh<<<100, kThreads>>>(items, weight, total, n, n / 6400 + 1);
}
