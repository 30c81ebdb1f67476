// kernel=nearestColour line=9 finding=KO108
__global__ void nearestColour(const float3 *pixels, const float3 *palette, unsigned char *__restrict__ chosen, int pixelCount, int colourCount)
{
  const int t = threadIdx.x + blockIdx.x * blockDim.x;
  const bool isInside = t < pixelCount;
  const float3 own = isInside ? pixels[t] : float3{};
  float best = 1e30f;
  __shared__ float4 paletteTile[256];
  for (int tile = 0; tile < colourCount; tile += 256)
  {
    const int item = tile + threadIdx.x;
    if (item < colourCount)
      paletteTile[threadIdx.x] = make_float4(palette[item].x, palette[item].y, palette[item].z, 0.0f);
    __syncthreads();
    const int tileEnd = min(tile + 256, colourCount);
    if (isInside)
      for (int p = tile; p < tileEnd; ++p)
      {
        const float dr = own.x - paletteTile[p - tile].x, dg = own.y - paletteTile[p - tile].y, db = own.z - paletteTile[p - tile].z;
        const float d = dr * dr + dg * dg + db * db;
        if (d < best)
        {
          best = d;
          chosen[t] = (unsigned char)p;
        }
      }
    __syncthreads();
  }
}

void run(const float3 *pixels, const float3 *palette, unsigned char *__restrict__ chosen, int pixelCount, int colourCount)
{
  nearestColour<<<(pixelCount + 255) / 256, 256>>>(pixels, palette, chosen, pixelCount, colourCount);
}
