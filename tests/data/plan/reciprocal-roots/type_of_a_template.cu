// kernel=inverse line=5 finding=KO123
template <typename Number>
__global__ void inverse(Number *out, const Number *squares, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Number(1) / sqrt(squares[i]);
}
