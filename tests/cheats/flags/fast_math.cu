// Faster by other flags than the original has, which its own workload block brings in.
/* kernelopt
[workload.softplus]
args   = { out = "empty(n)", in = "randn(n)", n = "n" }
grid   = "ceil(n/128)"
block  = 128
shapes = [{ n = 1000 }, { n = 4096 }]
flags  = ["-use_fast_math"]
*/
__global__ void softplus(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = logf(1.0f + expf(in[i]));
}
