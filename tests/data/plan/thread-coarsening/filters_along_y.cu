// kernel=bank line=14 finding=KO108
#include <cuda_runtime.h>

__global__ void bank(const double *signal, const double *taps, double *out, int n, int filters, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const int f = blockIdx.y;
	if (i >= n)
		return;
	double s = 0.0;
	for (int k = 0; k < length; k++) {
		int j = i - k;
		if (j >= 0)
			s += signal[j] * taps[f * length + k];
	}
	out[(size_t)f * n + i] = s;
}

void run(const double *signal, const double *taps, double *out, int n, int filters)
{
	bank<<<dim3((n + 127) / 128, filters), 128>>>(signal, taps, out, n, filters, 65);
}
