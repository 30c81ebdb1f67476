#pragma once
// link exactly one of backends/*/invert.cu
void invert(unsigned char *pixels, int n);
const char *backend_name();
