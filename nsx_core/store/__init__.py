"""What was computed, kept in one DuckDB file. The only package that imports duckdb.

``Store.open`` opens the file; ``draw_set`` names a family of draws by the sha256 of all
that can change them. See ``connection`` for how threads share the file, ``schema`` for the
tables and ``failures`` for what each problem with the file says.
"""

from nsx_core.store.audit_writing import CaseRows
from nsx_core.store.keys import DrawSet, canonical_json, canonical_key, draw_set
from nsx_core.store.opening import set_aside
from nsx_core.store.rows import JOB_STATES, JobRow
from nsx_core.store.store import Store

__all__ = [
    "JOB_STATES",
    "CaseRows",
    "DrawSet",
    "JobRow",
    "Store",
    "canonical_json",
    "canonical_key",
    "draw_set",
    "set_aside",
]
