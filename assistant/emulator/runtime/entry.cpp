// A program for sources without main(): it only replays (replay.cpp takes over before main when it is asked to).
#include <cstdio>

__attribute__((weak)) int main() {
  std::fputs("this source has no main(); it can only be replayed\n", stderr);
  return 1;
}
