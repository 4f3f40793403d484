"""The paper's quantities, one idea a module, and the grounds that they are evaluated on.

Each function yields `replication.findings.Finding`, and `grounds.QUANTITIES` registers it for its
ground. `evaluated` imports every module, so that all are registered, and makes the grounds.
"""
