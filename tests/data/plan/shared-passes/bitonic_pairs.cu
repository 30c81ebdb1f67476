// kernel=compareExchange line=10 finding=KO102
// A sorting network; each thread has a pair.
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
