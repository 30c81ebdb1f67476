// kernel=gather line=16 finding=KO113
// A kernel without main(); its workload is declared.
/* kernelopt
[workload.gather]
args   = { out = "empty(n)", table = "randn(n)", index = "randint(0, n, n)", n = "n" }
grid   = ["ceil(n/256)"]
block  = [256]
shapes = [{ n = 4096 }]
*/
namespace ops {
__global__ void gather(float *__restrict out, const float *__restrict table, const int *__restrict index, int n)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float *cell = &table[index[i]];
        out[i] = cell[0];
    }
}
} // namespace ops
