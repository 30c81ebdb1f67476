// kernel=weights line=12 finding=KO115 technique=block-shuffles
__global__ void weights(const double *w, double *sums, int n)
{
	__shared__ double w_s[3];
	int gi = blockDim.x * blockIdx.x + threadIdx.x;
	int wide = 2;
	double value = gi <= n - 1 ? wide * w[gi] : 0.0;
	for (int offset = 16; offset > 0; offset /= 2)
		value += __shfl_down_sync(0xffffffff, value, offset);
	if (threadIdx.x % 32 == 0)
		w_s[threadIdx.x / 32] = value;
	__syncthreads();
	if (threadIdx.x == 0 && gi <= n - 1) {
		double total = 0.0;
		for (int k = 0; k < 3; k++)
			total += w_s[k];
		sums[blockIdx.x] = total;
	}
}

void run(const double *w, double *sums, int n)
{
	weights<<<(n + 95) / 96, 96>>>(w, sums, n);
}
