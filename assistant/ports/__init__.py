"""What the engine asks of the outside world: labs, planners, model providers, the store.

Protocols and the values that pass through them, one module a role. Each has one real implementation and a fake that passes the same
contract tests (``tests/contracts``).
"""
