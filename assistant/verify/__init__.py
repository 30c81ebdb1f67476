"""Is the edited kernel right? Pure functions from what two versions left behind to a verdict.

Knows nothing of labs, compilers or planners: evidence comes in as frozen values, a ``VerificationResult`` goes out.
"""
