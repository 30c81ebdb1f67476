// kernel=rank_stations line=25 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

const int STATIONS = 6;
struct Station { float d2; int id; };

// each place on the map gets the numbers of all stations, the nearest first
__global__ void rank_stations(const float2* places, const float2* stations, int* order, int n)
{
	int p = blockIdx.x*blockDim.x + threadIdx.x;
	if (p >= n) return;
	Station list[STATIONS];
	for (int s = 0; s < STATIONS; s++) {
		float dx = stations[s].x - places[p].x, dy = stations[s].y - places[p].y;
		list[s].d2 = dx*dx + dy*dy;
		list[s].id = s;
	}
	#pragma unroll
	for (int s = 1; s < STATIONS; s++) {
		// make room for it
		#pragma unroll
		for (int at = s-1; at >= 0; at--) {
			if (list[at].d2 > list[at+1].d2) {
				const Station key = list[at];
				list[at] = list[at+1];
				list[at+1] = key;
			}
		}
	}
	for (int s = 0; s < STATIONS; s++) order[p*STATIONS + s] = list[s].id;
}

int main()
{
	const int n = 700;
	float2 *places, *stations;
	int* order;
	cudaMallocManaged(&places, n*sizeof(float2));
	cudaMallocManaged(&stations, STATIONS*sizeof(float2));
	cudaMallocManaged(&order, n*STATIONS*sizeof(int));
	for (int i = 0; i < n; i++) places[i] = make_float2(i*37%101, i*53%97);
	for (int s = 0; s < STATIONS; s++) stations[s] = make_float2(s*41%89, s*67%83);
	rank_stations<<<(n + 127)/128, 128>>>(places, stations, order, n);
	cudaDeviceSynchronize();
	for (int p = 0; p < n; p++) {
		std::vector<int> all;
		auto d2 = [&](int s) { float dx = stations[s].x - places[p].x, dy = stations[s].y - places[p].y; return dx*dx + dy*dy; };
		for (int s = 0; s < STATIONS; s++) all.push_back(s);
		std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return d2(a) < d2(b); });
		for (int s = 0; s < STATIONS; s++) if (order[p*STATIONS + s] != all[s]) return printf("FAIL %d\n", p), 1;
	}
	return puts("PASS"), 0;
}
