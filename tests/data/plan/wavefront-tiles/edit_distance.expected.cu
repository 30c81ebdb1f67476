// kernel=fill line=65 finding=KO125
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int TILE = 32;

namespace text
{
	/* Levenshtein distances of all prefixes; the table is stored column by column. */
	// Each block fills a tile of the table, and a launch the diagonal `diagonal` of tiles.
	__global__ void fill(uint16_t *table,
	                     const char *from, int height,
	                     const char *to, int width,
	                     int diagonal, int first_tile)
	{
		__shared__ uint16_t tile[TILE+1][TILE+2];
		const int t = threadIdx.x;
		const size_t x0 = 1+(first_tile+blockIdx.x)*TILE;
		const size_t y0 = 1+(diagonal-first_tile-blockIdx.x)*TILE;
		const size_t x = x0+t;

		// what the tiles above and to the left have stored next to this one
		if (x <= width)
			tile[t+1][0] = table[x*(height+1) + y0-1];
		if (y0+t <= height)
			tile[0][t+1] = table[(x0-1)*(height+1) + y0+t];
		if (t == 0)
			tile[0][0] = table[(x0-1)*(height+1) + y0-1];
		__syncthreads();

		for (int step = 0; step < 2*TILE-1; step++)
		{
			const int c = step-t;
			const size_t y = y0+c;
			if (c >= 0 && c < TILE && x <= width && y <= height)
			{
				// what each of the three steps costs
				const int replaced = tile[t][c] + (from[y-1] != to[x-1]);
				const int removed = tile[t+1][c] + 1;
				const int added = tile[t][c+1] + 1;
				int least = replaced;
				if (removed < least)
				{
					least = removed;
				}
				tile[t+1][c+1] = min(least, added);  // fits, as texts are short
			}
			__syncthreads();
		}

		if (y0+t <= height)
			for (int r = 0; r < TILE && x0+r <= width; r++)
				table[(x0+r)*(height+1) + y0+t] = tile[r+1][t+1];
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
	const int tile_rows = (width + TILE - 1) / TILE;
	const int tile_columns = (height + TILE - 1) / TILE;
	for (int diagonal = 0; diagonal < tile_rows + tile_columns - 1; ++diagonal)
	{
		const int first = diagonal < tile_columns ? 0 : diagonal - tile_columns + 1;
		const int last = diagonal < tile_rows ? diagonal : tile_rows - 1;
		text::fill<<<last - first + 1, TILE, 0, stream>>>(table, d_from, height, d_to, width, diagonal, first);
	}
	cudaStreamSynchronize(stream);
	cudaMemcpy(host, table, sizeof(host), cudaMemcpyDeviceToHost);
	printf("distance %d\n", (int)host[width*(height + 1) + height]);
	return 0;
}
