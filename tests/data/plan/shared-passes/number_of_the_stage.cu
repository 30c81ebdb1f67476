// kernel=mix line=7 finding=KO124
__global__ void mix(long long* sums, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int other = i ^ stride;
    if (other > i && other < n) {
        const long long mine = sums[i], theirs = *(sums + other);
        sums[i] = mine + theirs;
        sums[other] = mine > theirs ? mine - theirs : theirs - mine;
    }
}

void run(long long* sums, int log2n, cudaStream_t stream)
{
    const int n = 1 << log2n;
    for (int s = 0; s < log2n; s++)
    {
        mix<<<(n + 127) / 128, 128, 0, stream>>>(sums, n, 1 << s);
    }
}
