// kernel=pair_histogram line=9 finding=KO108
typedef float real;

__global__ void pair_histogram(const real *pos, unsigned int *__restrict__ bins, int atoms, real most)
{
	const int me = blockIdx.x * blockDim.x + threadIdx.x;
	const bool is_inside = me < atoms;
	const real px = is_inside ? pos[3 * me] : 0, py = is_inside ? pos[3 * me + 1] : 0, pz = is_inside ? pos[3 * me + 2] : 0;
	__shared__ float4 pos_tile[192];
	for (int tile = 0; tile < atoms; tile += 192) {
		const int item = tile + threadIdx.x;
		if (item < atoms)
			pos_tile[threadIdx.x] = make_float4(pos[3 * item], pos[3 * item + 1], pos[3 * item + 2], 0.0f);
		__syncthreads();
		const int tile_end = min(tile + 192, atoms);
		if (is_inside)
			for (int other = tile; other < tile_end; ++other) {
				if (me == other) continue;
				real dx = pos_tile[other - tile].x - px, dy = pos_tile[other - tile].y - py, dz = pos_tile[other - tile].z - pz;
				real r = sqrtf(dx * dx + dy * dy + dz * dz);
				if (r < most) atomicAdd(&bins[(int)(r / most * 64)], 1u);
			}
		__syncthreads();
	}
}

void run(const real *pos, unsigned int *__restrict__ bins, int atoms, real most)
{
	pair_histogram<<<(atoms + 191) / 192, 192>>>(pos, bins, atoms, most);
}
