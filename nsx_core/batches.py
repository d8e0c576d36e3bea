"""How much work an explanation is, and how many draws a step takes: few of a long text.

A step is the unit of progress, of cancelling and of other people's turns.
"""

from __future__ import annotations

from itertools import pairwise

# The first batch is small, so that a visitor soon sees that work is under way.
FIRST_BATCH_DRAWS, BATCH_DRAWS = 16, 256
#: Where several more follow, the next is of this size, so that scores soon sharpen.
SECOND_BATCH_DRAWS = 128
#: About how many tokens of text a step may hold.
BATCH_TOKENS = 4_096
CHARACTERS_A_TOKEN = 4
#: Above this much ``work`` a person is asked first: some minutes on two cores.
LONG_WORK = 100_000


def work(draws: int, n_words: int) -> int:
    """Words to write or read again for so many draws of a text of that length."""
    return draws * n_words


def batch_spans(
    missing: int, n_words: int, n_characters: int, watched: bool = True
) -> list[tuple[int, int]]:
    """(first, last + 1) of each batch of ``missing`` draws of a text of that length.

    watched: somebody waits for the first scores, so the first batches are small ones.
    """
    tokens = max(1, n_words, n_characters // CHARACTERS_A_TOKEN)
    most = max(1, BATCH_TOKENS // tokens)
    first, usual = min(FIRST_BATCH_DRAWS, most), min(BATCH_DRAWS, most)
    if missing <= min(2 * first, most):
        return [(0, missing)] if missing else []
    begun = [0, first] if watched else [0]
    if watched and missing - first > usual:
        begun.append(first + min(SECOND_BATCH_DRAWS, usual))
    # Equal parts: a small batch takes almost as long as a large one.
    rest = missing - begun[-1]
    parts = -(-rest // usual)
    starts = [begun[-1] + rest * part // parts for part in range(1, parts + 1)]
    return list(pairwise([*begun, *starts]))
