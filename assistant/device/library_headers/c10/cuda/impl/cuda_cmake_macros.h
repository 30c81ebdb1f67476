// Made by the build of a PyTorch with CUDA; one for CPUs alone comes without it.
#pragma once
