// Forward modelling of a shot over a layered velocity model.
//
//   acoustic3d NX NY NZ STEPS
//
// The field starts with a smooth pulse around the shot, so that a few steps already move something; a Ricker wavelet follows.
#include "wave.h"

#include <cmath>
#include <utility>
#include <vector>

static float ricker(float t, float frequency) {
  const float a = 3.14159265f * frequency * (t - 1.0f / frequency);
  return (1.0f - 2.0f * a * a) * std::exp(-a * a);
}

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s NX NY NZ STEPS\n", argv[0]);
    return 1;
  }
  const Grid grid{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  const int steps = std::atoi(argv[4]);
  const float h = 10.0f, dt = 0.001f;

  std::vector<float> field(grid.cells(), 0.0f), velocity(grid.cells(), 0.0f);
  const int sx = grid.nx / 2, sy = grid.ny / 2, sz = grid.nz / 3;
  for (int z = 0; z < grid.nz; ++z)
    for (int y = 0; y < grid.ny; ++y)
      for (int x = 0; x < grid.nx; ++x) {
        const float v = 1500.0f + 400.0f * (z * 5 / grid.nz) + 2.0f * (x % 50);
        velocity[grid.at(x, y, z)] = v * v * dt * dt / (h * h);
        const float r2 = static_cast<float>((x - sx) * (x - sx) + (y - sy) * (y - sy) + (z - sz) * (z - sz));
        field[grid.at(x, y, z)] = std::exp(-r2 / 18.0f);
      }

  const int every = 4, receivers = grid.nx / every, depth = grid.nz / 4;
  const size_t bytes = grid.cells() * sizeof(float);
  float *current, *previous, *speed, *traces;
  OK(cudaMalloc(&current, bytes));
  OK(cudaMalloc(&previous, bytes));
  OK(cudaMalloc(&speed, bytes));
  OK(cudaMalloc(&traces, sizeof(float) * receivers * steps));
  OK(cudaMemcpy(current, field.data(), bytes, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(previous, field.data(), bytes, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(speed, velocity.data(), bytes, cudaMemcpyHostToDevice));
  upload_coefficients();

  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  for (int s = 0; s < steps; ++s) {
    propagate(grid, current, speed, previous, stream);
    std::swap(current, previous);
    inject(grid, current, sx, sy, sz, 0.1f * ricker(s * dt, 25.0f), stream);
    record(grid, current, traces + s * receivers, depth, every, receivers, stream);
  }
  OK(cudaStreamSynchronize(stream));

  std::vector<float> seen(receivers * steps);
  OK(cudaMemcpy(field.data(), current, bytes, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(seen.data(), traces, sizeof(float) * seen.size(), cudaMemcpyDeviceToHost));
  double energy = 0.0, sum = 0.0;
  for (const float f : field) {
    energy += static_cast<double>(f) * f;
    sum += f;
  }
  std::printf("sum %.4f, energy %.4f\n", sum, energy);
  std::printf("at the shot %.5f, one cell below %.5f\n", field[grid.at(sx, sy, sz)], field[grid.at(sx, sy, sz + 1)]);
  std::printf("last samples of the middle receivers: %.5f %.5f\n", seen[(steps - 1) * receivers + receivers / 2], seen[(steps - 1) * receivers + receivers / 2 + 1]);

  OK(cudaStreamDestroy(stream));
  OK(cudaFree(current));
  OK(cudaFree(previous));
  OK(cudaFree(speed));
  OK(cudaFree(traces));
  return 0;
}
