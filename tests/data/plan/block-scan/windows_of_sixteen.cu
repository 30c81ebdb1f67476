// kernel=windows line=9 finding=KO119
/* sums of the sixteen elements that end here */
__global__ void windows(const float *in, float *out)
{
    __shared__ float a[64];
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 16; d *= 2) {
        float v = t >= d ? a[t - d] : 0.0f;
        __syncthreads();
        a[t] += v;
        __syncthreads();
    }
    out[t] = a[t];
}

void run(float *in, float *out) { windows<<<1, 64>>>(in, out); }
