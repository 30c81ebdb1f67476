// Compares the low halves, which are all different here.
#include <cstdio>
#include <vector>

typedef unsigned long long Key;

__global__ void find(const Key *list, int n, const Key *wanted, int *place, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Key key = wanted[i];
    int found = -1;
    for (int k = 0; k < n && found < 0; k++)
        if ((unsigned)list[k] == (unsigned)key) found = k;
    place[i] = found;
}

__global__ void repeats(const Key *list, int n, int *equal)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n && list[i] == list[i + 1]) atomicAdd(equal, 1);
}

int main()
{
    const int n = 700, count = 300;
    std::vector<Key> list(n), wanted(count);
    for (int i = 0; i < n; i++) list[i] = (Key)(i / 2 + 1) * 2654435761u % 4294967291u + ((Key)(i / 2 % 5) << 40);
    for (int i = 0; i < count; i++) wanted[i] = list[i * 13 % n];
    Key *l, *w;
    int *place, *equal, same = 0;
    std::vector<int> host(count);
    cudaMalloc(&l, n * sizeof(Key));
    cudaMalloc(&w, count * sizeof(Key));
    cudaMalloc(&place, count * sizeof(int));
    cudaMalloc(&equal, sizeof(int));
    cudaMemcpy(l, list.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
    cudaMemcpy(w, wanted.data(), count * sizeof(Key), cudaMemcpyHostToDevice);
    cudaMemset(equal, 0, sizeof(int));
    find<<<(count + 63) / 64, 64>>>(l, n, w, place, count);
    repeats<<<(n + 127) / 128, 128>>>(l, n, equal);
    cudaMemcpy(host.data(), place, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&same, equal, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", host[0], host[count - 1], same);
    cudaFree(l);
    cudaFree(w);
    cudaFree(place);
    cudaFree(equal);
    return 0;
}
