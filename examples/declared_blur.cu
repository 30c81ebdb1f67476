// No main(): the workload block below says how the kernel is launched and what it is judged on.
/* kernelopt
[workload.blur]
args   = { out = "empty(n*n)", in = "randn(n*n)", n = "n" }
grid   = ["ceil(n/32)", "ceil(n/8)"]
block  = [32, 8]
shapes = [{ n = 256 }, { n = 250, weight = 2 }]
sizes  = { n = { min = 3 } }
*/

__global__ void blur(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0.0f;
    int count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx >= 0 && sx < n && sy >= 0 && sy < n) {
                sum += in[sy * n + sx];
                count++;
            }
        }
    }
    out[y * n + x] = sum / count;
}
