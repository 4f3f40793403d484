"""The names for users, each with its module: for type checkers, and imported on first use."""

from llm_power_audit._errors import AuditError as AuditError
from llm_power_audit.claims import Register as Register
from llm_power_audit.evaluate import Audit as Audit
from llm_power_audit.evaluate import audit as audit
from llm_power_audit.register import load_register as load_register
