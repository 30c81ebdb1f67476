#include <cstdio>
#include <vector>

__global__ void total(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

int main()
{
    const int n = 20000;
    std::vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 37) % 101 - 50;
    int *in, *out, sum = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    total<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
}
