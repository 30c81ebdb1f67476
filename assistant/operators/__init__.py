"""PyTorch tasks: what is one, read from its text alone; and is a candidate right, from what both sides left behind. Pure."""
