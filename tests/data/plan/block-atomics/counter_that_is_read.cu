// kernel=find_some line=7 finding=KO110
__global__ void find_some(const int *v, int *found, int want, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || *found >= want) return;
    if (v[i] % 97 == 0)
        atomicAdd(found, 1);
}

void run(int *v, int *f, int n) { find_some<<<(n + 255) / 256, 256>>>(v, f, 10, n); }
