"""What the frames of an audit hold: the one place where their columns are named.

Predictions, one row a case and classifier::

    case text functionality group template classifier label_kind prediction probability gold

Token scores, one row a word of a case and classifier::

    case text classifier group template position word is_identity necessity sufficiency
    prediction probability

Attributions (SHAP or LIME), one row a case and classifier::

    text group classifier score

- ``case``, ``text``, ``functionality``, ``group``, ``template``, ``classifier``, ``word``: str;
  a group is "" where the case names none. Cases that share a template are one cluster.
- ``label_kind``: "hate", "abuse" or "" (not known): what the classifier's labels were.
- ``prediction``, ``gold``: int 0 or 1, 1 = the explained class; ``is_identity``: bool.
- ``probability``: float in 0..1 of the explained class, NaN where the file has none.
- ``necessity``, ``sufficiency``: float in -1..1; ``score``: any finite float. NaN = undefined.
- ``position``: int, the word's place in the text, from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CASE, TEXT, FUNCTIONALITY, GROUP = "case", "text", "functionality", "group"
TEMPLATE, CLASSIFIER, LABEL_KIND = "template", "classifier", "label_kind"
PREDICTION, PROBABILITY, GOLD = "prediction", "probability", "gold"
POSITION, WORD, IS_IDENTITY = "position", "word", "is_identity"
NECESSITY, SUFFICIENCY, SCORE = "necessity", "sufficiency", "score"
MEASURES = (NECESSITY, SUFFICIENCY)

PREDICTION_COLUMNS = (
    CASE, TEXT, FUNCTIONALITY, GROUP, TEMPLATE, CLASSIFIER, LABEL_KIND, PREDICTION, PROBABILITY,
    GOLD,
)  # fmt: skip
TOKEN_COLUMNS = (
    CASE, TEXT, CLASSIFIER, GROUP, TEMPLATE, POSITION, WORD, IS_IDENTITY, NECESSITY, SUFFICIENCY,
    PREDICTION, PROBABILITY,
)  # fmt: skip
ATTRIBUTION_COLUMNS = (TEXT, GROUP, CLASSIFIER, SCORE)

# How HateCheck's suite (rottger-etal-2021) and the paper's files call the same columns.
# A text column for the template is used where there is no number for it.
OTHER_NAMES = {
    CASE: ("case_id", "case_index"),
    TEXT: ("test_case",),
    GROUP: ("target_ident", "target"),
    TEMPLATE: ("templ_id", "case_templ"),
    GOLD: ("label_gold",),
    PREDICTION: ("orig_pred",),
    PROBABILITY: ("orig_score",),
    POSITION: ("token_index",),
    WORD: ("token",),
}
# The paper's predictions have two columns a classifier: 'NAME:pred' and 'NAME:score'.
WIDE_PREDICTION, WIDE_PROBABILITY = ":pred", ":score"
GOLD_VALUES = {"hateful": 1, "non-hateful": 0}

HATE, ABUSE = "hate", "abuse"

# HateCheck's functionalities in the order of its paper (rottger-etal-2021).
HATECHECK_ORDER = (
    "derog_neg_emote_h", "derog_neg_attrib_h", "derog_dehum_h", "derog_impl_h", "threat_dir_h",
    "threat_norm_h", "slur_h", "slur_homonym_nh", "slur_reclaimed_nh", "profanity_h",
    "profanity_nh", "ref_subs_clause_h", "ref_subs_sent_h", "negate_pos_h", "negate_neg_nh",
    "phrase_question_h", "phrase_opinion_h", "ident_neutral_nh", "ident_pos_nh",
    "counter_quote_nh", "counter_ref_nh", "target_obj_nh", "target_indiv_nh", "target_group_nh",
    "spell_char_swap_h", "spell_char_del_h", "spell_space_del_h", "spell_space_add_h",
    "spell_leet_h",
)  # fmt: skip
NUMBERS = {name: f"F{number}" for number, name in enumerate(HATECHECK_ORDER, start=1)}


@dataclass(frozen=True, slots=True)
class Functionalities:
    """Which functionalities of a suite play which part; HateCheck's by default.

    explained: hateful cases whose identity phrase gets scores (F1 to F3). mentions: neutral and
    positive mentions of a group (F18, F19). non_protected: abuse of other targets: a group that
    is not protected, a person, an object (F24, F23, F22, the order of the paper's Table 3).
    """

    explained: tuple[str, ...] = HATECHECK_ORDER[:3]
    mentions: tuple[str, ...] = HATECHECK_ORDER[17:19]
    non_protected: tuple[str, ...] = ("target_group_nh", "target_indiv_nh", "target_obj_nh")


HATECHECK = Functionalities()


def short_name(functionalities: Sequence[str]) -> str:
    """'F18+F19': HateCheck's numbers where there are any, otherwise the names."""
    return "+".join(NUMBERS.get(name, name) for name in functionalities)


def label_kind(classifier: str) -> str:
    """ "hate" or "abuse" where the classifier's name ends so ('Founta2018-hate'), else ""."""
    return next((kind for kind in (HATE, ABUSE) if classifier.endswith(f"-{kind}")), "")
