#pragma once
void run_turn(float *out, const float *in, int width, int height);
void run_row_sums(float *sums, float *m, int width, int height);
void run_block_total(float *totals, const float *v, int n);
void run_curve(float *y, const float *x, int n);
void run_energy(float *e, const float *v, int n);
void run_tile_turn(float *out, const float *in, int n);
void run_smooth(float *out, float *in, float *w, int n, int taps);
