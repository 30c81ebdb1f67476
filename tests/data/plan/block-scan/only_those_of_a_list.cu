// kernel=allowed line=13 finding=KO119
#define BLOCK 256

// only the sums of those that a list allows: x may be shorter than the list
__global__ void allowed(const int *list, const float *x, float *out, float *total, int n)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    float v = i < n && list[i] ? x[i] : 0.0f;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        float left = t >= d ? s[t - d] : 0.0f;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[t] - v;
    if (t == BLOCK - 1)
        total[blockIdx.x] = s[t];
}

void run(int *list, float *x, float *out, float *total, int n) { allowed<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(list, x, out, total, n); }
