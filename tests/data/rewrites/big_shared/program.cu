#include <cstdio>
#include <vector>

// each row's distance to the nearest of the table's 16000 entries
__global__ void nearest(const float *table, const float *q, float *out, int entries, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    for (int k = 0; k < entries; k++) best = fminf(best, fabsf(table[(k * 17 + i) % entries] - q[i]));
    out[i] = best;
}

void search(const float *table, const float *q, float *out, int entries, int n)
{
    nearest<<<(n + 63) / 64, 64>>>(table, q, out, entries, n);
}

int main()
{
    const int entries = 14000, n = 128;
    std::vector<float> table(entries), q(n), out(n);
    for (int i = 0; i < entries; i++) table[i] = (i * 7919 % 14009) / 64.0f;
    for (int i = 0; i < n; i++) q[i] = i * 1.75f + 0.25f;
    float *dt, *dq, *d;
    cudaMalloc(&dt, entries * 4);
    cudaMalloc(&dq, n * 4);
    cudaMalloc(&d, n * 4);
    cudaMemcpy(dt, table.data(), entries * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q.data(), n * 4, cudaMemcpyHostToDevice);
    search(dt, dq, d, entries, n);
    cudaMemcpy(out.data(), d, n * 4, cudaMemcpyDeviceToHost);
    float s = 0;
    for (float v : out) s += v;
    printf("%.3f\n", s);
}
