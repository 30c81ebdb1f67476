"""Where launches and values come from: declared blocks, captured recordings, derived cases.

Knows nothing of labs or verdicts: it makes cases, others run and judge them.
"""
