#include <cstdio>
#include <queue>
#include <vector>
#include <cuda_runtime.h>
// Level-synchronous BFS in the style of Harish & Narayanan: mask / updating mask / visited.
struct Node
{
	int starting;
	int no_of_edges;
};

__global__ void
Kernel(Node* g_graph_nodes, int* g_graph_edges, bool* g_graph_mask, bool* g_updating_graph_mask, bool *g_graph_visited, int* g_cost, int no_of_nodes)
{
	int tid = blockIdx.x*blockDim.x + threadIdx.x;
	if( tid<no_of_nodes && g_graph_mask[tid])
	{
		g_graph_mask[tid]=false;
		for(int i=g_graph_nodes[tid].starting; i<(g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++)
			{
			int id = g_graph_edges[i];
			if(!g_graph_visited[id])
				{
				g_cost[id]=g_cost[tid]+1;
				g_updating_graph_mask[id]=true;
				}
			}
	}
}

__global__ void
Kernel2(bool* g_graph_mask, bool *g_updating_graph_mask, bool* g_graph_visited, bool *g_over, int no_of_nodes)
{
	int tid = blockIdx.x*blockDim.x + threadIdx.x;
	if( tid<no_of_nodes && g_updating_graph_mask[tid])
	{
		g_graph_mask[tid]=true;
		g_graph_visited[tid]=true;
		*g_over=true;
		g_updating_graph_mask[tid]=false;
	}
}

int main()
{
	const int n = 9001;
	std::vector<Node> nodes(n);
	std::vector<int> edges, cost(n, -1), got(n, -1);
	unsigned s = 2024;
	for (int i = 0; i < n; i++) {
		s = s * 1664525u + 1013904223u;
		int deg = 1 + (s >> 27) % 7;
		nodes[i].starting = (int)edges.size();
		nodes[i].no_of_edges = deg;
		for (int k = 0; k < deg; k++) { s = s * 1664525u + 1013904223u; edges.push_back((s >> 8) % n); }
	}
	cost[0] = 0;
	std::queue<int> q; q.push(0);
	while (!q.empty()) {
		int u = q.front(); q.pop();
		for (int k = 0; k < nodes[u].no_of_edges; k++) {
			int w = edges[nodes[u].starting + k];
			if (cost[w] < 0) { cost[w] = cost[u] + 1; q.push(w); }
		}
	}
	Node* dn; int *de, *dc; bool *dm, *du, *dv, *dover;
	cudaMalloc(&dn, n*sizeof(Node)); cudaMalloc(&de, edges.size()*sizeof(int)); cudaMalloc(&dc, n*sizeof(int));
	cudaMalloc(&dm, n); cudaMalloc(&du, n); cudaMalloc(&dv, n); cudaMalloc(&dover, 1);
	cudaMemset(dm, 0, n); cudaMemset(du, 0, n); cudaMemset(dv, 0, n);
	bool t = true;
	cudaMemcpy(dm, &t, 1, cudaMemcpyHostToDevice);
	cudaMemcpy(dv, &t, 1, cudaMemcpyHostToDevice);
	got[0] = 0;
	cudaMemcpy(dc, got.data(), n*sizeof(int), cudaMemcpyHostToDevice);
	cudaMemcpy(dn, nodes.data(), n*sizeof(Node), cudaMemcpyHostToDevice);
	cudaMemcpy(de, edges.data(), edges.size()*sizeof(int), cudaMemcpyHostToDevice);
	int grid = (n + 255)/256;
	bool stop; int rounds = 0;
	do {
		stop = false;
		cudaMemcpy(dover, &stop, 1, cudaMemcpyHostToDevice);
		Kernel<<<grid, 256>>>(dn, de, dm, du, dv, dc, n);
		Kernel2<<<grid, 256>>>(dm, du, dv, dover, n);
		cudaMemcpy(&stop, dover, 1, cudaMemcpyDeviceToHost);
	} while (stop && ++rounds < 40);
	cudaMemcpy(got.data(), dc, n*sizeof(int), cudaMemcpyDeviceToHost);
	bool ok = cudaGetLastError() == cudaSuccess && got == cost;
	printf("bfs_levels %s\n", ok ? "PASS" : "FAIL");
	return ok ? 0 : 1;
}
