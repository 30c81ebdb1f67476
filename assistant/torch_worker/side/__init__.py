"""What runs where PyTorch is: a task's reference, or a candidate. Needs Python 3.10 and PyTorch, and nothing else of ours."""
