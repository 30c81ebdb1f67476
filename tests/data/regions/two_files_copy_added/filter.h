#pragma once
void filter_open(int n);
void filter_run(float *dev);
