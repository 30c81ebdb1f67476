// Two sums in flight; what both lose is kept aside.
#include <cstdio>
#include <vector>

__device__ void add(float &sum, float &lost, float value)
{
    const float next = sum + value;
    lost += fabsf(sum) >= fabsf(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
}

__global__ void balance(const float *amount, int length, float *total, int accounts)
{
    const int account = blockIdx.x * blockDim.x + threadIdx.x;
    if (account >= accounts) return;
    float sum = 0, lost = 0;
    const float *mine = amount + account * length;
    float other = 0, other_lost = 0;
    int i = 0;
    for (; i + 1 < length; i += 2) {
        add(sum, lost, mine[i]);
        add(other, other_lost, mine[i + 1]);
    }
    if (i < length) add(sum, lost, mine[i]);
    add(sum, lost, other);
    total[account] = sum + (lost + other_lost);
}

int main()
{
    const int accounts = 200, length = 96, n = accounts * length;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (i * 61 % 997 - 300) * 0.25f;
    float *amount, *total;
    cudaMalloc(&amount, n * sizeof(float));
    cudaMalloc(&total, accounts * sizeof(float));
    cudaMemcpy(amount, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    balance<<<(accounts + 63) / 64, 64>>>(amount, length, total, accounts);
    cudaMemcpy(host.data(), total, accounts * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[accounts - 1]);
    cudaFree(amount);
    cudaFree(total);
    return 0;
}
