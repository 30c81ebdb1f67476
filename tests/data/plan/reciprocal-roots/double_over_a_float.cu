// kernel=ratio line=4 finding=KO123
__global__ void ratio(double *out, const double *total, const float *squares, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = total[i] / sqrtf(squares[i]);
}
