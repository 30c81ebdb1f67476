// kernel=running_max line=9 finding=KO119
__global__ void running_max(float *x)
{
	__shared__ float highest[2];
	int t = threadIdx.x;
	float mine = x[blockIdx.x * 64 + t];
	for (int offset = 1; offset < 32; offset *= 2) {
		float left = __shfl_up_sync(0xffffffff, mine, offset);
		if (t % 32 >= offset)
			mine = fmaxf(mine, left);
	}
	if (t % 32 == 31)
		highest[t / 32] = mine;
	__syncthreads();
	for (int warp = 0; warp < t / 32; warp++)
		mine = fmaxf(mine, highest[warp]);
	x[blockIdx.x * 64 + t] = mine;
}

void run(float *x, int rows) { running_max<<<rows, 64>>>(x); }
