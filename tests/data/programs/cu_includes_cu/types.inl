struct pt { float x, y; };
__host__ __device__ inline float sq(float v) { return v*v; }
