// kernel=group_mass line=17 finding=KO110
#include <cstdio>
#define GROUPS 40

__global__ void group_mass(const double* weight, double* mass, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;

    // nothing beyond the end
    if (i >= n)
        return;

    int g = i % 7 * i % GROUPS;
#ifdef SKIP_EMPTY
    if (weight[i] == 0) g = 0;
#endif
    atomicAdd(&mass[g], weight[i]);
}

int main() {
    const int n = 12001;
    double *in, *h = new double[n];
    for (int i = 0; i < n; i++) h[i] = (i % 9) * 0.5;
    cudaMalloc(&in, n * sizeof(double));
    cudaMemcpy(in, h, n * sizeof(double), cudaMemcpyHostToDevice);
    double *mass, h1[GROUPS];
    const size_t bytes = GROUPS * sizeof(double);
    cudaMalloc(&mass, bytes);
    cudaMemset(mass, 0, bytes);
    group_mass<<<(n + 255) / 256, 256>>>(in, mass, n);
    cudaMemcpy(h1, mass, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < GROUPS; i += 9) printf("%.2f ", h1[i]);
    return 0;
}
