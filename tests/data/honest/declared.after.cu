// No main(): a declared workload.
/* kernelopt
[workload.blend]
args   = { out = "empty(n*n)", a = "randn(n*n)", b = "randn(n*n)", n = "n" }
grid   = ["ceil(n/16)", "ceil(n/16)"]
block  = [16, 16]
shapes = [{ n = 128 }, { n = 100 }]
sizes  = { n = { min = 1 } }
*/

__global__ void blend(float *out, const float *a, const float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = 0.5f * a[y * n + x] + 0.5f * b[y * n + x];
}
