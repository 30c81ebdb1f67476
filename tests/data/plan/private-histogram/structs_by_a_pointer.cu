// kernel=deposit line=13 finding=KO110
// deposits of particles by species
#include <cstdio>
#include <cstdlib>
#define NSP 24
struct Tally { double px, py; float heat[3]; unsigned hits; };
__global__ void deposit(const float *vx, const float *vy, const unsigned char *sp, int np, Tally *tally)
{
	const int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p < np)
	{
		Tally *t = &tally[sp[p]];
		atomicAdd(&t->px, (double)vx[p]);
		atomicAdd(&t->py, (double)vy[p]);
		atomicAdd(&t->heat[p % 3], vx[p] * vx[p] + vy[p] * vy[p]);
		atomicAdd(&t->hits, 1u);
	}
}
int main(int argc, char **argv)
{
	int np = argc > 1 ? atoi(argv[1]) : 20001;
	float *x, *y; unsigned char *s; Tally *t;
	cudaMallocManaged(&x, np * sizeof(float)); cudaMallocManaged(&y, np * sizeof(float)); cudaMallocManaged(&s, np);
	cudaMallocManaged(&t, NSP * sizeof(Tally));
	for (int i = 0; i < np; i++) { x[i] = (i * 31 % 257 - 128) / 64.f; y[i] = (i * 17 % 127 - 63) / 32.f; s[i] = i * 7 % NSP; }
	cudaMemset(t, 0, NSP * sizeof(Tally));
	deposit<<<(np + 191) / 192, 192>>>(x, y, s, np, t);
	cudaDeviceSynchronize();
	double a = 0; unsigned h = 0;
	for (int i = 0; i < NSP; i++) { a += t[i].px + t[i].py + t[i].heat[0]; h += t[i].hits; }
	printf("%.4f %u\n", a, h);
}
