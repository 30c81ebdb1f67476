#pragma once
#include <string>
#include <vector>
struct Image { int width, height; std::vector<float> pixels; };
Image read_pgm(const std::string &path);
