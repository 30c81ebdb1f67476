// kernel=fill line=65 finding=KO125
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

namespace text
{
	/* Levenshtein distances of all prefixes; the table is stored column by column. */
	__global__ void fill(uint16_t *table,
	                     const char *from, int height,
	                     const char *to, int width,
	                     int diagonal, int start, int cells)
	{
		int index = blockIdx.x*blockDim.x + threadIdx.x;
		if (index >= cells)
		{
			return;
		}

		// the cell of this thread
		const size_t y = start + index;
		const size_t x = diagonal - y;

		// what each of the three steps costs
		const int replaced = table[(x-1)*(height+1) + y-1] + (from[y-1] != to[x-1]);
		const int removed = table[x*(height+1) + y-1] + 1;
		const int added = table[(x-1)*(height+1) + y] + 1;
		int least = replaced;
		if (removed < least)
		{
			least = removed;
		}
		table[x*(height+1) + y] = min(least, added); // fits, as texts are short
	}
}

int main()
{
	static char from[150], to[97];
	for (int k = 0; k < 150; k++)
		from[k] = 'a' + k*k % 7;
	for (int k = 0; k < 97; k++)
		to[k] = 'a' + k*(k + 1) % 7;
	const int height = sizeof(from), width = sizeof(to);
	static uint16_t host[(150 + 1)*(97 + 1)];
	for (int y = 0; y <= height; y++)
		host[y] = y;
	for (int x = 0; x <= width; x++)
		host[x*(height + 1)] = x;
	uint16_t *table;
	char *d_from, *d_to;
	cudaMalloc(&table, sizeof(host));
	cudaMalloc(&d_from, height);
	cudaMalloc(&d_to, width);
	cudaMemcpy(table, host, sizeof(host), cudaMemcpyHostToDevice);
	cudaMemcpy(d_from, from, height, cudaMemcpyHostToDevice);
	cudaMemcpy(d_to, to, width, cudaMemcpyHostToDevice);
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	for (int diagonal = 2; diagonal <= height + width; ++diagonal)
	{
		const int start = diagonal > width ? diagonal - width : 1;
		const int cells = (diagonal - 1 < height ? diagonal - 1 : height) - start + 1;
		text::fill<<<dim3((cells + 31)/32), dim3(32), 0, stream>>>(table, d_from, height, d_to, width, diagonal, start, cells);
	}
	cudaStreamSynchronize(stream);
	cudaMemcpy(host, table, sizeof(host), cudaMemcpyDeviceToHost);
	printf("distance %d\n", (int)host[width*(height + 1) + height]);
	return 0;
}
