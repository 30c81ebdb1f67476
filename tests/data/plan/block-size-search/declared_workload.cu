// kernel=triple line=15 finding=KO111
#include <cstdio>
#include <vector>


/* kernelopt
[workload.triple]
args   = { out = "empty(n)", in = "randn(n)", n = "n" }
grid   = ["ceil(n/1024)"]
block  = [1024]
shapes = [{ n = 20000 }, { n = 50001 }]
*/
__global__ void __launch_bounds__(1024) triple(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3.0f * in[i];
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    constexpr unsigned kThreads = 1024;
    const dim3 grid(1 + (n - 1) / kThreads), block(kThreads);
    triple<<<grid, block>>>(out, in, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
