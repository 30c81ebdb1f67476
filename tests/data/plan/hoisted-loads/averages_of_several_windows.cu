// kernel=movingAverages line=16 finding=KO113
constexpr int WINDOWS = 3;

template <typename T>
__global__ void movingAverages(T *avg, const T *price, const T *alpha, unsigned series, unsigned days)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    T e[WINDOWS];
    for (int w = 0; w < WINDOWS; ++w) e[w] = price[s];
    for (unsigned d = 0; d < days; ++d)
    {
        T p = price[d * series + s];
        for (int w = 0; w < WINDOWS; ++w)
        {
            e[w] += alpha[w * series + s] * (p - e[w]);
            avg[(d * WINDOWS + w) * series + s] = e[w];
        }
    }
}

int main()
{
    float *avg, *price, *alpha;
    cudaMalloc(&avg, 4 * 3 * 250 * 1500);
    cudaMalloc(&price, 4 * 250 * 1500);
    cudaMalloc(&alpha, 4 * 3 * 1500);
    movingAverages<float><<<24, 64>>>(avg, price, alpha, 1500u, 250u);
}
