// kernel=weights line=12 finding=KO115 technique=block-shuffles
__global__ void weights(const double *w, double *sums, int n)
{
	__shared__ double w_s[96];
	int gi = blockDim.x * blockIdx.x + threadIdx.x;
	int wide = 2;
	if (gi > n - 1) return;
	w_s[threadIdx.x] = wide * w[gi];
	__syncthreads();
	if (threadIdx.x == 0) {
		double total = 0.0;
		for (int k = 0; k < 96; k++)
			total += w_s[k];
		sums[blockIdx.x] = total;
	}
}

void run(const double *w, double *sums, int n)
{
	weights<<<(n + 95) / 96, 96>>>(w, sums, n);
}
