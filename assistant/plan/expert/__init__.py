"""The expert planner: one module per source transformation, no model, no network.

What transformations work out about a kernel is in ``analysis``, how they write their edits in ``writing``; questions that the
syntax tree answers alone are in ``assistant.cuda``. Analyses know nothing of writing, and neither knows a transformation.
"""
