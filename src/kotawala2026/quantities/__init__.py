"""The paper's quantities, one idea a module, and the grounds that they are evaluated on.

A function yields `replication.findings.Finding` and is registered for its ground with
`grounds.QUANTITIES`. `evaluated` imports every module, so that all are registered, and makes the
grounds.
"""
