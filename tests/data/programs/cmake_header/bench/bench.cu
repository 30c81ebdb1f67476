#include <vec/scale.cuh>
#include <vector>

void report(const float *v, int n);      // check.cpp

int main()
{
    const int n = 1 << 15;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = 0.25f * (i % 17);
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    cudaMemcpy(v, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    vec::scale_all(v, n);
    vec::scale<<<(n + 31) / 32, 32>>>(v, n, 0.5f, 1.0f);
    cudaMemcpy(host.data(), v, n * sizeof(float), cudaMemcpyDeviceToHost);
    report(host.data(), n);
    cudaFree(v);
}
