// kernel=Rank2Update line=11 finding=KO101
// Two products in one sum, each matrix once by rows and once by columns; neighbouring threads in x have neighbouring rows.
__global__ void Rank2Update(const double* left, const double* right, double* out, int size, int depth, double alpha, double beta)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < size && col < size)
    {
        double total = 0.0;  // of both products
        for (int k = 0; k < depth; ++k)
        {
            total += left[row * depth + k] * right[col * depth + k];
            total += right[row * depth + k] * left[col * depth + k];
        }
        out[row * size + col] = alpha * total + beta * out[row * size + col];
    }
}

void run(const double* left, const double* right, double* out, int size, int depth)
{
    const dim3 block(8, 32);
    const dim3 grid((size + block.x - 1) / block.x, (size + block.y - 1) / block.y);
    Rank2Update<<<grid, block>>>(left, right, out, size, depth, 0.5, 2.0);
}
