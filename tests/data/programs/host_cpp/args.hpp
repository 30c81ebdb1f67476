#ifndef ARGS_HPP
#define ARGS_HPP
struct Args { int size = 64; int steps = 50; };
Args parse_args(int argc, char **argv);
#endif
