// kernel=mass_by_species line=18 finding=KO110
#include <stdio.h>
#include <vector>

static constexpr int kSpecies = 48;

__global__ void mass_by_species(const int *__restrict__ species, const float *__restrict__ mass, float *__restrict__ totals, int n)
{
  __shared__ float partial[kSpecies];
  for (int s = threadIdx.x; s < kSpecies; s += blockDim.x) partial[s] = 0.f;
  __syncthreads();

  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += blockDim.x * gridDim.x)
    atomicAdd(&partial[species[p]], mass[p]);

  __syncthreads();
  for (int s = threadIdx.x; s < kSpecies; s += blockDim.x)
    atomicAdd(&totals[s], partial[s]);
}

int main()
{
  const int n = 12000;
  std::vector<int> species(n);
  std::vector<float> mass(n), totals(kSpecies);
  for (int i = 0; i < n; ++i) {
    species[i] = i % 13 == 0 ? 3 : (i * 5) % kSpecies;
    mass[i] = 0.25f * (i % 8 + 1);
  }
  int *d_species;
  float *d_mass, *d_totals;
  cudaMalloc((void **)&d_species, n * sizeof(int));
  cudaMalloc((void **)&d_mass, n * sizeof(float));
  cudaMalloc((void **)&d_totals, kSpecies * sizeof(float));
  cudaMemcpy(d_species, species.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_mass, mass.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_totals, 0, kSpecies * sizeof(float));
  mass_by_species<<<5, 1024>>>(d_species, d_mass, d_totals, n);
  cudaMemcpy(totals.data(), d_totals, kSpecies * sizeof(float), cudaMemcpyDeviceToHost);
  for (int s = 0; s < kSpecies; s += 6) printf("%8.2f", totals[s]);
  printf("\n");
}
