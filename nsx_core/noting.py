"""Keep what was tried by hand: an edited text, beside what it did to a probability.

A note says all that is needed to judge it later: both texts, the classifier with its fingerprint,
the class, the threshold and both probabilities. It is kept with its text alone or with an audit.
Notes are withdrawn, never deleted.
"""

from __future__ import annotations

import time

from nsx_core import pipeline, words
from nsx_core.catalogue import Catalogue
from nsx_core.errors import SettingsError, UnknownNameError
from nsx_core.records import Note, NoteKind, NoteSubject, text_hash
from nsx_core.store import Store, canonical_key

__all__ = ["COMMENT_MAX", "Notes"]

#: Characters of a note's comment.
COMMENT_MAX = 500


class Notes:
    """The notes of one store; every method may be called from any thread."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store, self._catalogue = store, catalogue

    def keep(
        self,
        text: str,
        edited: str,
        classifier: str,
        label: str | None,
        threshold: float,
        comment: str = "",
        audit: str | None = None,
    ) -> Note:
        """Keep an edit with its text, or with the audit of this id; durable once it returns.

        label: None = the class that the classifier explains; comment: at most ``COMMENT_MAX``
        characters, blanks at its ends left out. Both probabilities come from the store where it
        has them. The same edit kept twice, with the same comment, is one note. Raises
        ``TextError`` for a text, ``SettingsError`` for the threshold, the comment or an edit that
        changes nothing, ``UnknownNameError`` for the classifier, label or audit, ``ModelError``.
        """
        words.split(text)
        words.split(edited)
        said = _checked(text, edited, threshold, comment)
        if audit is not None and self._store.audits.audit(audit) is None:
            raise UnknownNameError("audit", audit, [])
        entry = self._catalogue.classifier_entry(classifier)
        label = label or entry.explained_label
        before, after = pipeline.probabilities(
            [text, edited], entry, self._catalogue, self._store, label
        )
        self._store.remember_text(words.split(text))
        subject = NoteSubject.TEXT if audit is None else NoteSubject.AUDIT
        subject_id = text_hash(text) if audit is None else audit
        identity = [NoteKind.EDIT, subject, subject_id, text, edited]
        identity += [entry.fingerprint, label, repr(float(threshold)), said]
        return self._store.write_note(
            Note(
                id=canonical_key(identity),
                kind=NoteKind.EDIT,
                subject=subject,
                subject_id=subject_id,
                text=text,
                edited=edited,
                classifier=classifier,
                fingerprint=entry.fingerprint,
                label=label,
                threshold=float(threshold),
                before=before,
                after=after,
                comment=said,
                created=time.time(),
            )
        )

    def withdraw(self, note_id: str) -> None:
        """Say that a note no longer stands; ``UnknownNameError`` for one that is not known."""
        self._store.withdraw_note(note_id)

    def of_text(self, text: str) -> list[Note]:
        """All notes on a text, those kept with an audit and withdrawn ones too, latest first."""
        return self._store.notes(NoteSubject.TEXT, text_hash(text))

    def of_audit(self, audit: str) -> list[Note]:
        """All notes kept with an audit, withdrawn ones too, latest first."""
        return self._store.notes(NoteSubject.AUDIT, audit)


def _checked(text: str, edited: str, threshold: float, comment: str) -> str:
    """The comment without blanks at its ends; see ``Notes.keep``."""
    if not 0 < threshold < 1:
        raise SettingsError(
            f"The decision threshold lies strictly between 0 and 1, and {threshold} came."
        )
    if edited == text:
        raise SettingsError(
            "An edit is kept where it differs from the text, and this one is the text itself. "
            "Change a word first."
        )
    plain = comment.strip()
    if len(plain) > COMMENT_MAX:
        raise SettingsError(
            f"A comment has at most {COMMENT_MAX} characters, and {len(plain)} came. Shorten it."
        )
    return plain
