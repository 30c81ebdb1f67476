// Umrechnung µm → m: jeder Wert × 1e-6
__global__ void skaliere(double *länge, int n) /* länge in µm */
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) länge[i] *= 1e-6; // → m
}

int main() { skaliere<<<1, 32>>>(nullptr, 0); }