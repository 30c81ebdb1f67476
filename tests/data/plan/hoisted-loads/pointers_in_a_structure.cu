// kernel=leak line=9 finding=KO113
struct Net { float *rate, *v; };

__global__ void leak(Net net, const float *in, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int t = 0; t < steps; ++t)
            net.v[t * n + i] = net.rate[i] * in[t * n + i];
}

int main()
{
    Net net;
    float *in;
    cudaMalloc(&net.rate, 4 * 1000);
    cudaMalloc(&net.v, 4 * 1000 * 50);
    cudaMalloc(&in, 4 * 1000 * 50);
    leak<<<8, 128>>>(net, in, 1000, 50);
}
