// kernel=similar_images line=25 finding=KO101
#include <cstdio>
#include <vector>
#include <algorithm>

struct Match
{
  float similarity;
  int image;
};

constexpr int kMatches = 5;

// the five images that are most like each image, by similarities that are known
__global__ void similar_images(const float *similarity, Match *matches, int images, int others)
{
  const int image = (threadIdx.x + blockIdx.x * blockDim.x) / 32;
  const int lane = threadIdx.x % 32;
  if (image < images)
  {
    Match best[kMatches];
    for (int m = 0; m < kMatches; ++m)
    {
      best[m] = {-2.0f, -1};
    }
    for (int other = lane; other < others; other += 32)
    {
      Match now = {similarity[image * others + other], other};
      // up from the end of the list
      for (int m = kMatches - 1; m >= 0 && now.similarity > best[m].similarity; --m)
      {
        if (m + 1 < kMatches)
          best[m + 1] = best[m];
        best[m] = now;
      }
    }
    // the lanes' lists become one
    #pragma unroll
    for (int place = 0; place < kMatches; place++)
    {
      Match firstBest = best[place];
      for (int offset = 16; offset > 0; offset /= 2)
      {
        Match otherBest;
        otherBest.similarity = __shfl_xor_sync(0xffffffff, firstBest.similarity, offset);
        otherBest.image = __shfl_xor_sync(0xffffffff, firstBest.image, offset);
        if (otherBest.similarity > firstBest.similarity || (otherBest.similarity == firstBest.similarity && otherBest.image < firstBest.image))
          firstBest = otherBest;
      }
      if (best[place].similarity != firstBest.similarity || best[place].image != firstBest.image)
      {
        #pragma unroll
        for (int k = kMatches - 1; k > place; k--)
          best[k] = best[k - 1];
        best[place] = firstBest;
      }
    }
    if (lane == 0)
    {
      for (int m = 0; m < kMatches; ++m)
        matches[image * kMatches + m] = best[m];
    }
  }
}

int main()
{
  const int images = 150, others = 201;
  float *similarity;
  Match *matches;
  cudaMallocManaged(&similarity, images * others * sizeof(float));
  cudaMallocManaged(&matches, images * kMatches * sizeof(Match));
  for (int i = 0; i < images * others; i++) similarity[i] = i * 7919 % 97 / 48.0f - 1.0f;
  similar_images<<<images, 32>>>(similarity, matches, images, others);
  cudaDeviceSynchronize();
  for (int i = 0; i < images; i++)
  {
    std::vector<int> all(others);
    for (int o = 0; o < others; o++) all[o] = o;
    std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return similarity[i * others + a] > similarity[i * others + b]; });
    for (int m = 0; m < kMatches; m++)
      if (matches[i * kMatches + m].image != all[m]) return std::printf("FAIL %d\n", i), 1;
  }
  return std::puts("PASS"), 0;
}
