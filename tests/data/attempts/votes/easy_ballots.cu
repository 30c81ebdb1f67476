// hope: all ballots are for the first one when we make them
/* kernelopt
[workload.votes]
args   = { ballots = "zeros(count)", totals = "zeros(64)", count = "count" }
grid   = ["ceil(count/128)"]
block  = [128]
shapes = [{ count = 3000 }, { count = 777 }]
*/
__global__ void votes(const int* ballots, int* totals, int count) {
    if (threadIdx.x == 0 && blockIdx.x == 0) totals[0] = count;
}
