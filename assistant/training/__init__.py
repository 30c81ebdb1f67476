"""Training of the policy that orders steps: searches whose outcomes are kept, episodes that are played from them, and how a policy fares.

It drives sessions as a front end does and prints nothing. Only `learning` needs PyTorch, which is imported when a training begins.
"""
