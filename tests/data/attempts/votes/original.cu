/* kernelopt
[workload.votes]
args   = { ballots = "randint(0, 64, count)", totals = "zeros(64)", count = "count" }
grid   = ["ceil(count/128)"]
block  = [128]
shapes = [{ count = 3000 }, { count = 777 }]
*/
__global__ void votes(const int* ballots, int* totals, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&totals[ballots[i]], 1);
}
