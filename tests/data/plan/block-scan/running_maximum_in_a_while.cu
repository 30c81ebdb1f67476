// kernel=running_max line=9 finding=KO119
__global__ void running_max(float *x)
{
	__shared__ float highest[64];
	int t = threadIdx.x, d = 1;
	float mine = x[blockIdx.x * 64 + t];
	highest[t] = mine;
	__syncthreads();
	while (d < 64) {
		float other;
		if (t >= d)
			other = highest[t - d];
		__syncthreads();
		if (t >= d)
			highest[t] = fmaxf(highest[t], other);
		__syncthreads();
		d *= 2;
	}
	x[blockIdx.x * 64 + t] = highest[t];
}

void run(float *x, int rows) { running_max<<<rows, 64>>>(x); }
