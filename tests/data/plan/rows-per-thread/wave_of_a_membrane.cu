// kernel=step line=20 finding=KO121
#include <cstdio>
#include <cstdlib>
#include <utility>

using real = double;

struct Membrane
{
    real *before, *now, *after;
    int n;
};

__global__ void step(Membrane m, real c)
{
    int j = threadIdx.x + blockIdx.x * blockDim.x + 1;
    int i = threadIdx.y + blockIdx.y * blockDim.y + 1;
    if (i >= m.n - 1 || j >= m.n - 1) return;

    // second order in time and space
    m.after[i * m.n + j] = 2 * m.now[i * m.n + j] - m.before[i * m.n + j]
        + c * (m.now[(i - 1) * m.n + j] + m.now[(i + 1) * m.n + j] + m.now[i * m.n + j - 1] + m.now[i * m.n + j + 1] - 4 * m.now[i * m.n + j]);
}

int main()
{
    Membrane m;
    m.n = 80;
    const size_t bytes = m.n * m.n * sizeof(real);
    real *h = (real *)calloc(m.n * m.n, sizeof(real));
    h[40 * m.n + 40] = 1;
    cudaMalloc(&m.before, bytes);
    cudaMalloc(&m.now, bytes);
    cudaMalloc(&m.after, bytes);
    cudaMemcpy(m.before, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(m.now, h, bytes, cudaMemcpyHostToDevice);
    cudaMemset(m.after, 0, bytes);
    dim3 block(32, 4);
    for (int t = 0; t < 5; t++) {
        step<<<dim3((m.n + 31) / 32, (m.n + 3) / 4), block>>>(m, 0.2);
        real *first = m.before;
        m.before = m.now;
        m.now = m.after;
        m.after = first;
    }
    cudaMemcpy(h, m.now, bytes, cudaMemcpyDeviceToHost);
    real sum = 0;
    for (int i = 0; i < m.n * m.n; i++) sum += h[i] * h[i];
    printf("%.12f\n", sum);
    free(h);
}
