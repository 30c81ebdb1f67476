const int RADIUS = 2, TILE_X = 32, TILE_Y = 4 * 2;

__global__ void blur(float *out, const float *in, int pitch, int height)
{
	const int gx = blockIdx.x * blockDim.x + threadIdx.x;
	const int gy = blockIdx.y * blockDim.y + threadIdx.y;
	double sum = 0.;
	if (gx < RADIUS || gx >= pitch - RADIUS || gy < RADIUS || gy >= height - RADIUS) return;
	for (int dy = -RADIUS; dy <= RADIUS; dy++) {
		const float *row = in + (gy + dy) * pitch;
		for (int dx = -RADIUS; dx <= RADIUS; dx++)
			sum += row[gx + dx] * 0.04;
	}
	*(out + gy * pitch + gx) = sum;
}
