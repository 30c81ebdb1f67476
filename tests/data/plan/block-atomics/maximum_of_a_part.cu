// kernel=largest_even line=6 finding=KO110
__global__ void largest_even(const int *in, int *largest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 0)
        atomicMax(largest, in[i]);
}

void run(int *in, int *out, int n) { largest_even<<<(n + 255) / 256, 256>>>(in, out, n); }
