#pragma once
#include <cstdint>
void histogram(const std::uint8_t *data, unsigned *bins, int n);
