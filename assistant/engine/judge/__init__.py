"""Is B right, and is it faster: the cases that both versions run on, the verdict, the speed."""
