// kernel=assign_clusters line=19 finding=KO101
#include <cstdio>
#include <cstdlib>

/* distances[point][cluster] are known: which cluster is nearest, and how far is it */
__global__ void assign_clusters(const double *distances, unsigned *cluster, double *how_far, int points, int clusters)
{
	const int p = (blockDim.x * blockIdx.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;
	if (p < points)
	{
		double nearest = 1e300;
		unsigned which = 0;
		/* the sum of all is the point's weight */
		double weight = 0;
		for (int c = lane; c < clusters; c += 32)
		{
			double d = distances[(size_t)p * clusters + c];
			weight += d;
			if (nearest > d)
			{
				which = c;
				nearest = d;
			}
		}
		for (int offset = 16; offset > 0; offset /= 2)
		{
			weight += __shfl_xor_sync(0xffffffff, weight, offset);
			double other_nearest = __shfl_xor_sync(0xffffffff, nearest, offset);
			unsigned other_which = __shfl_xor_sync(0xffffffff, which, offset);
			if (other_nearest < nearest || (other_nearest == nearest && other_which < which))
			{
				nearest = other_nearest;
				which = other_which;
			}
		}
		if (lane == 0)
		{
			cluster[p] = which;
			how_far[p] = nearest / weight;
		}
	}
}

int main(void)
{
	const int points = 500, clusters = 70;
	double *distances, *how_far;
	unsigned *cluster;
	cudaMallocManaged(&distances, points * clusters * sizeof(double));
	cudaMallocManaged(&how_far, points * sizeof(double));
	cudaMallocManaged(&cluster, points * sizeof(unsigned));
	for (int i = 0; i < points * clusters; i++) distances[i] = (i * 7919 % 101) * 0.25;
	assign_clusters<<<(points + 3) / 4, 128>>>(distances, cluster, how_far, points, clusters);
	cudaDeviceSynchronize();
	unsigned sum = 0;
	for (int i = 0; i < points; i++) sum += cluster[i] * (i % 5 + 1);
	printf("%u %f\n", sum, how_far[17]);
	return 0;
}
