// kernel=bank line=14 finding=KO108
#include <cuda_runtime.h>

__global__ void bank(const double *signal, const double *taps, double *out, int n, int filters, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const int first_f = blockIdx.y * 4;
	int f[4];
	#pragma unroll
	for (int r = 0; r < 4; r++)
		f[r] = min(first_f + r, filters - 1);
	if (i >= n)
		return;
	double s[4] = {};
	for (int k = 0; k < length; k++) {
		int j = i - k;
		if (j >= 0) {
			#pragma unroll
			for (int r = 0; r < 4; r++)
				s[r] += signal[j] * taps[f[r] * length + k];
		}
	}
	#pragma unroll
	for (int r = 0; r < 4; r++)
		out[(size_t)f[r] * n + i] = s[r];
}

void run(const double *signal, const double *taps, double *out, int n, int filters)
{
	bank<<<dim3((n + 127) / 128, (filters + 3) / 4), 128>>>(signal, taps, out, n, filters, 65);
}
