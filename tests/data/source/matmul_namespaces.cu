namespace linalg {
inline namespace v2 {
namespace detail {

__host__ __device__ inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

struct Shape {
    int rows, columns;
    __host__ __device__ int count() const { return rows * columns; }
};

static __global__ void multiply(const float *a, const float *b, float *c, const Shape shape, int depth)
{
    enum { TILE = 16 };
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0;
    for (int t = 0; t < ceil_div(depth, TILE); t++) {
        left[threadIdx.y][threadIdx.x] = a[row * depth + t * TILE + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t * TILE + threadIdx.y) * shape.columns + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    if (row * shape.columns + column < shape.count())
        c[row * shape.columns + column] = sum;
}

}  // namespace detail

void multiply(const float *a, const float *b, float *c, int n)
{
    const dim3 threads = {16, 16};
    const dim3 blocks(detail::ceil_div(n, 16), detail::ceil_div(n, 16));
    detail::multiply<<<blocks, threads>>>(a, b, c, detail::Shape{n, n}, n);
}

}  // namespace v2
}  // namespace linalg
