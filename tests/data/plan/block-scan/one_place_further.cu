// kernel=shifted line=12 finding=KO119
#define BLOCK 256

// the sums of a block go one place further
__global__ void shifted(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n)
        out[i + 1] = s[t];
}

void run(int *in, int *out, int n) { shifted<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
