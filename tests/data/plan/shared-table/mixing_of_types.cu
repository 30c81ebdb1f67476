// kernel=energy line=11 finding=KO108
#define KINDS 4
__global__ void energy(const float *x, const int *kind, const float *eps, const float *sigma, float *e, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	int own = kind[i] * KINDS;
	float sum = 0;
	for (int j = 0; j < n; j++) {
		float d = fabsf(x[i] - x[j]) + 0.01f;
		int pair = own + kind[j];
		float s = sigma[pair] / d;
		sum += eps[pair] * (s * s - s);
	}
	e[i] = sum;
}

void run(const float *x, const int *kind, const float *host_eps, const float *host_sigma, int n, int threads) {
	float *eps, *sigma, *e;
	cudaMalloc(&eps, KINDS * KINDS * sizeof(float));
	cudaMalloc(&sigma, KINDS * KINDS * sizeof(float));
	cudaMalloc(&e, n * sizeof(float));
	energy<<<(n + threads - 1) / threads, threads>>>(x, kind, eps, sigma, e, n);
}
