#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

struct Failure { const char* what; };

static void guard(cudaError_t status)
{
   if (status != cudaSuccess) throw Failure{cudaGetErrorString(status)};
}

// One step of a bitonic network. Thread p owns the p-th pair of elements that are `distance` apart.
__global__ void compareExchange(int* keys, unsigned pairs, unsigned distance, unsigned run)
{
   unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
   if (p >= pairs) return;

   unsigned low = (p / distance) * 2 * distance + p % distance;
   unsigned high = low + distance;
   bool ascending = (low / run) % 2 == 0;

   int a = keys[low];
   int b = keys[high];
   if ((a > b) == ascending)
   {
      keys[low] = b;
      keys[high] = a;
   }
}

static void sortOnDevice(int* keys, unsigned n)
{
   const unsigned threads = 256;
   const unsigned pairs = n / 2;
   for (unsigned run = 2; run <= n; run *= 2)
   {
      for (unsigned distance = run / 2; distance > 0; distance /= 2)
      {
         compareExchange<<<(pairs + threads - 1) / threads, threads>>>(keys, pairs, distance, run);
         guard(cudaGetLastError());
      }
   }
}

int main(int argc, char** argv)
{
   unsigned n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 4096;
   if (n < 2 || (n & (n - 1)) != 0)
   {
      std::cerr << "n must be a power of two\n";
      return 1;
   }

   std::mt19937 generator(7);
   std::vector<int> keys(n);
   long long before = 0;
   for (int& key : keys)
   {
      key = static_cast<int>(generator() >> 1);
      before += key;
   }

   try
   {
      int* device = nullptr;
      guard(cudaMalloc(&device, n * sizeof(int)));
      guard(cudaMemcpy(device, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));
      sortOnDevice(device, n);
      guard(cudaMemcpy(keys.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
      guard(cudaFree(device));
   }
   catch (const Failure& failure)
   {
      std::cerr << "CUDA: " << failure.what << "\n";
      return 1;
   }

   long long after = 0;
   for (int key : keys) after += key;
   bool good = before == after && std::is_sorted(keys.begin(), keys.end());
   std::cout << (good ? "sorted" : "NOT sorted") << ", smallest " << keys.front() << ", median " << keys[n / 2] << ", largest " << keys.back() << "\n";
   return good ? 0 : 1;
}
