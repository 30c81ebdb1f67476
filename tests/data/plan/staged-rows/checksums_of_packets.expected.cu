// kernel=crc32_kernel line=20 finding=KO101
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

__constant__ uint32_t crc_table[256];

/* one packet per thread, all packets of the same length */
__global__ void crc32_kernel(const uint8_t *packets, uint32_t *crcs, unsigned count, unsigned length)
{
	unsigned id = blockIdx.x * BLOCK + threadIdx.x;
	uint32_t crc = 0xffffffffu;
	size_t base = (size_t)id * length;

	const bool is_inside = id < count;
	__shared__ uint8_t packets_tile[128][33];
	const int lane = threadIdx.x % 32, first_thread = threadIdx.x - lane;
	const unsigned first_row = id - lane;
	for (unsigned tile = 0; tile < length; tile += 32) {
		if (tile + lane < length) {
			const uint8_t *packets_column = packets + (size_t)first_row * length + tile + lane;
			#pragma unroll
			for (int r = 0; r < 32; ++r)
				if (first_row + r < count)
					packets_tile[first_thread + r][lane] = packets_column[r * length];
		}
		__syncwarp();
		const unsigned stop = is_inside ? min(tile + 32, length) : tile;
		for (unsigned i = tile; i < stop; i++)
			/* reflected CRC-32, a byte at a time */
			crc = crc_table[(crc ^ packets_tile[threadIdx.x][i - tile]) & 0xff] ^ (crc >> 8);
		__syncwarp();
	}
	if (is_inside) crcs[id] = ~crc;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? atoi(argv[1]) : 300, length = argc > 2 ? atoi(argv[2]) : 203;
	size_t size = (size_t)count * length;
	uint8_t *packets = (uint8_t *)malloc(size), *d_packets;
	uint32_t *crcs = (uint32_t *)malloc(count * sizeof(uint32_t)), *d_crcs, table[256];

	for (size_t i = 0; i < size; i++)
		packets[i] = (uint8_t)((i * 2654435761u) >> 13);
	for (uint32_t n = 0; n < 256; n++) {
		uint32_t c = n;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table[n] = c;
	}
	cudaMemcpyToSymbol(crc_table, table, sizeof(table));
	cudaMalloc((void **)&d_packets, size);
	cudaMalloc((void **)&d_crcs, count * sizeof(uint32_t));
	cudaMemcpy(d_packets, packets, size, cudaMemcpyHostToDevice);
	crc32_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(d_packets, d_crcs, count, length);
	cudaMemcpy(crcs, d_crcs, count * sizeof(uint32_t), cudaMemcpyDeviceToHost);
	uint32_t all = 0;
	for (unsigned i = 0; i < count; i++)
		all = all * 31 + crcs[i];
	printf("%08x\n", all);
	cudaFree(d_packets);
	cudaFree(d_crcs);
	free(packets);
	free(crcs);
	return 0;
}
