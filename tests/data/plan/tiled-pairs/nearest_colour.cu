// kernel=nearestColour line=9 finding=KO108
__global__ void nearestColour(const float3 *pixels, const float3 *palette, unsigned char *__restrict__ chosen, int pixelCount, int colourCount)
{
  const int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= pixelCount)
    return;
  const float3 own = pixels[t];
  float best = 1e30f;
  for (int p = 0; p < colourCount; ++p)
  {
    const float dr = own.x - palette[p].x, dg = own.y - palette[p].y, db = own.z - palette[p].z;
    const float d = dr * dr + dg * dg + db * db;
    if (d < best)
    {
      best = d;
      chosen[t] = (unsigned char)p;
    }
  }
}

void run(const float3 *pixels, const float3 *palette, unsigned char *__restrict__ chosen, int pixelCount, int colourCount)
{
  nearestColour<<<(pixelCount + 255) / 256, 256>>>(pixels, palette, chosen, pixelCount, colourCount);
}
