"""Which of the steps that rules wrote comes first where memory knows nothing of them: a network that was trained beforehand.

It sees numbers and names of ours alone, never source, and can do nothing but put steps in another order. NumPy evaluates it.
"""
