// kernel=reached line=5 finding=KO110
__global__ void reached(const int *distance, int n, unsigned *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && distance[i] >= 0) atomicInc(count, 0xffffffffu);
}

void run(const int *distance, int n, unsigned *count) { reached<<<(n + 255) / 256, 256>>>(distance, n, count); }
