"""Audits: a suite's cases classified, the phrases of its hateful ones explained, all of it stored.

``request`` says what is asked and under which id; ``running`` does it step by step; ``rows`` is
what a case leaves in the store; ``found`` reads the tables back at any threshold; ``task`` makes
it a job of the queue, and ``audits`` is what pages see. ``files`` writes folders.
"""

from nsx_core.auditing.found import AuditResult, audit_found, audit_result
from nsx_core.auditing.request import AuditRequest, audit_id
from nsx_core.auditing.running import AuditProgress, audited, auditing

__all__ = [
    "AuditProgress",
    "AuditRequest",
    "AuditResult",
    "audit_found",
    "audit_id",
    "audit_result",
    "audited",
    "auditing",
]
