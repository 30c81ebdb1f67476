// kernel=product line=9 finding=KO108
// A template of which the program has floats, too.
template <typename T>
__global__ void product(const T *a, const T *b, T *c, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    T sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

void both(const double *a, const double *b, double *c, const float *x, const float *y, float *z, int n) {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    product<double><<<grid, block>>>(a, b, c, n);
    product<float><<<grid, block>>>(x, y, z, n);
}
