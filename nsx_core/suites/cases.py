"""What an audit runs on: a suite of cases, each a text with a gold label.

The form is HateCheck's (rottger-etal-2021): cases made from templates, in which a placeholder
such as ``[IDENTITY_P]`` stands where a group is named.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Case", "Phrase", "Suite"]

# Parts of placeholder names that stand for a group, the first found being the one that counts.
_IDENTITY_NAMES = ("IDENT", "GROUP", "TARGET", "SLUR")


@dataclass(frozen=True, slots=True)
class Phrase:
    """``text[start:end]`` of a case's text, and the placeholder it stands for.

    ``placeholder`` is the name without its brackets, '' for a phrase that a column named.
    """

    text: str
    start: int
    end: int
    placeholder: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One text of a suite.

    ``hateful`` is the gold label. ``functionality``, ``group`` (the target identity),
    ``template_id`` and ``template`` may be ''. ``phrases`` are all that were found, in reading
    order; ``phrase_problem`` says in words why one that should stand in the text was not found,
    and is '' where nothing is amiss.
    """

    case_id: str
    text: str
    hateful: bool
    functionality: str = ""
    group: str = ""
    template_id: str = ""
    template: str = ""
    phrases: tuple[Phrase, ...] = ()
    phrase_problem: str = ""

    @property
    def phrase(self) -> Phrase | None:
        """The phrase whose scores count: the first that names a group, else the first of all."""
        for part in _IDENTITY_NAMES:
            for phrase in self.phrases:
                if part in phrase.placeholder.upper():
                    return phrase
        return self.phrases[0] if self.phrases else None

    @property
    def cluster(self) -> str:
        """What cases of one template share, for intervals over templates; never ''."""
        return self.template_id or self.template or f"case {self.case_id}"


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases in the order of their file; ``sha256`` is of the file's bytes, in hex.

    ``notes`` say in words what was skipped, read in another way than expected, or not found.
    """

    name: str
    sha256: str
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that are named, in the order of their first case."""
        return tuple(dict.fromkeys(case.group for case in self.cases if case.group))

    @property
    def functionalities(self) -> tuple[str, ...]:
        """The functionalities that are named, in the order of their first case."""
        named = (case.functionality for case in self.cases if case.functionality)
        return tuple(dict.fromkeys(named))
