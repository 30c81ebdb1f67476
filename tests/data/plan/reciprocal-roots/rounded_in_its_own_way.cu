// kernel=inverse line=7 finding=KO123
#define rsqrtf(x) (1.0f / __fsqrt_rz(x))

__global__ void inverse(float *out, const float *squares, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i % 2 ? rsqrtf(squares[i]) : 1.0f / sqrtf(squares[i]);
}
