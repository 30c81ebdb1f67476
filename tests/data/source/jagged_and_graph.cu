#include <vector>

class Solver {
public:
    explicit Solver(int n) : n_(n) {}
    void run(int iterations);
    __device__ static float weight(int k) { return 1.0f / (k + 1); }

private:
    int n_;
    std::vector<float *> buffers_;
};

__global__ void sparse_multiply(const int *__restrict__ rows, const int *__restrict__ columns, const float *__restrict__ values,
                                const float *__restrict__ x, float *__restrict__ y, int n)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= n) return;
    float dot = 0;
    for (int j = rows[row]; j < rows[row + 1]; ++j)
        dot += values[j] * x[columns[j]] * Solver::weight(j - rows[row]);
    y[row] = dot;
}

__global__ void axpy(float *y, const float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }

void Solver::run(int iterations)
{
    const int block = 128, grid = (n_ + block - 1) / block;
    for (int i = 0; i < iterations; ++i) {
        sparse_multiply<<<grid, block>>>(nullptr, nullptr, nullptr, buffers_[0], buffers_[1], n_);
        if (i % 2) axpy<<<grid, block>>>(buffers_[0], buffers_[1], -1.0f, n_);
    }
}
