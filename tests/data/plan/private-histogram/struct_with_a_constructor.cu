// kernel=tally line=8 finding=KO110
struct Bin { int hits; float sum; Bin() : hits(0), sum(0) {} };

__global__ void tally(const int *key, const float *x, int n, Bin *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Bin &bin = bins[key[i]];
        atomicAdd(&bin.sum, x[i]);
    }
}

void run(const int *key, const float *x, int n) {
    Bin *bins;
    cudaMalloc(&bins, 64 * sizeof(Bin));
    cudaMemset(bins, 0, 64 * sizeof(Bin));
    tally<<<(n + 127) / 128, 128>>>(key, x, n, bins);
}
