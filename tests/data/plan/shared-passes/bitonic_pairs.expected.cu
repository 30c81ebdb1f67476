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

// The passes of compareExchange whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void compareExchangeTile(int* keys, unsigned distance, unsigned run)
{
   __shared__ int tile[2 * 256];
   unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
   unsigned first = 2 * blockIdx.x * blockDim.x;
   tile[threadIdx.x] = keys[first + threadIdx.x];
   tile[threadIdx.x + blockDim.x] = keys[first + threadIdx.x + blockDim.x];
   for (; distance > 0; distance /= 2)
   {
      __syncthreads();
      unsigned low = (p / distance) * 2 * distance + p % distance;
      unsigned high = low + distance;
      bool ascending = (low / run) % 2 == 0;
      int a = tile[low - first];
      int b = tile[high - first];
      if ((a > b) == ascending)
      {
         tile[low - first] = b;
         tile[high - first] = a;
      }
   }
   __syncthreads();
   keys[first + threadIdx.x] = tile[threadIdx.x];
   keys[first + threadIdx.x + blockDim.x] = tile[threadIdx.x + blockDim.x];
}

static void sortOnDevice(int* keys, unsigned n)
{
   const unsigned threads = 256;
   const unsigned pairs = n / 2;
   for (unsigned run = 2; run <= n; run *= 2)
   {
      for (unsigned distance = run / 2; distance > 0; distance /= 2)
      {
         // from here on pairs lie in a block's tile
         if (threads % distance == 0 && pairs % threads == 0)
         {
            compareExchangeTile<<<(pairs + threads - 1) / threads, threads>>>(keys, distance, run);
            guard(cudaGetLastError());
            break;
         }
         compareExchange<<<(pairs + threads - 1) / threads, threads>>>(keys, pairs, distance, run);
         guard(cudaGetLastError());
      }
   }
}
