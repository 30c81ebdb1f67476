// kernel=pair_histogram line=9 finding=KO108
typedef float real;

__global__ void pair_histogram(const real *pos, unsigned int *__restrict__ bins, int atoms, real most)
{
	const int me = blockIdx.x * blockDim.x + threadIdx.x;
	if (me >= atoms) return;
	const real px = pos[3 * me], py = pos[3 * me + 1], pz = pos[3 * me + 2];
	for (int other = 0; other < atoms; ++other) {
		if (me == other) continue;
		real dx = pos[3 * other] - px, dy = pos[3 * other + 1] - py, dz = pos[3 * other + 2] - pz;
		real r = sqrtf(dx * dx + dy * dy + dz * dz);
		if (r < most) atomicAdd(&bins[(int)(r / most * 64)], 1u);
	}
}

void run(const real *pos, unsigned int *__restrict__ bins, int atoms, real most)
{
	pair_histogram<<<(atoms + 191) / 192, 192>>>(pos, bins, atoms, most);
}
