"""English plurals: tables of what is irregular, rules for the rest."""

from __future__ import annotations

import re

__all__ = ["IRREGULAR", "SINGULARS", "UNCOUNTABLE", "in_case_of", "is_plural_of_man", "plural", "singular"]

IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "tooth": "teeth", "foot": "feet",
    "goose": "geese", "mouse": "mice", "louse": "lice", "ox": "oxen", "die": "dice", "penny": "pennies",
    "leaf": "leaves", "loaf": "loaves", "half": "halves", "calf": "calves", "shelf": "shelves", "elf": "elves",
    "wolf": "wolves", "knife": "knives", "life": "lives", "wife": "wives", "thief": "thieves", "self": "selves",
    "hoof": "hooves", "scarf": "scarves", "sheaf": "sheaves", "potato": "potatoes", "tomato": "tomatoes",
    "hero": "heroes", "echo": "echoes", "veto": "vetoes", "torpedo": "torpedoes", "embargo": "embargoes",
    "cactus": "cacti", "focus": "foci", "fungus": "fungi", "nucleus": "nuclei", "radius": "radii",
    "stimulus": "stimuli", "syllabus": "syllabi", "alumnus": "alumni", "analysis": "analyses", "basis": "bases",
    "crisis": "crises", "diagnosis": "diagnoses", "hypothesis": "hypotheses", "thesis": "theses",
    "parenthesis": "parentheses", "synthesis": "syntheses", "oasis": "oases", "axis": "axes",
    "criterion": "criteria", "phenomenon": "phenomena", "datum": "data", "medium": "media",
    "bacterium": "bacteria", "curriculum": "curricula", "memorandum": "memoranda", "stratum": "strata",
    "index": "indices", "appendix": "appendices", "matrix": "matrices", "vertex": "vertices", "vortex": "vortices",
    "quiz": "quizzes", "bus": "buses", "gas": "gases", "status": "statuses", "virus": "viruses", "campus": "campuses",
    "movie": "movies", "cookie": "cookies", "zombie": "zombies", "tie": "ties", "lie": "lies", "pie": "pies",
    "cache": "caches", "axe": "axes",
    "shoe": "shoes", "toe": "toes", "house": "houses", "database": "databases", "lens": "lenses", "atlas": "atlases",
}  # fmt: skip
SINGULARS: dict[str, str] = {}
for _one, _many in IRREGULAR.items():
    SINGULARS.setdefault(_many, _one)
_WORDS_WITHOUT_PLURAL = """
    sheep fish deer species series aircraft spacecraft salmon trout moose bison swine shrimp information equipment
    rice money news software hardware furniture luggage traffic advice knowledge research evidence feedback music
    weather water air bread butter sugar salt sand homework progress mathematics physics economics politics
    athletics ethics headquarters means offspring police cattle pants trousers scissors glasses jeans metadata
"""
UNCOUNTABLE = frozenset(_WORDS_WITHOUT_PLURAL.split())

_PLURAL_RULES = (
    (re.compile(r"(?:s|x|z|ch|sh)$"), 0, "es"),
    (re.compile(r"[^aeiou]y$"), 1, "ies"),
    (re.compile(r"sis$"), 2, "es"),
)
_SINGULAR_RULES = (
    (re.compile(r"[^aeiou]ies$"), 3, "y"),
    (re.compile(r"(?:ss|x|zz|ch|sh)es$"), 2, ""),
    (re.compile(r"[^ius]ses$"), 1, ""),
    (re.compile(r"(?:us|is)es$"), 1, ""),
    (re.compile(r"[^su]s$"), 1, ""),
)


def plural(word: str) -> str:
    """The plural of a singular noun, in the case pattern of the word."""
    low = word.lower()
    if not low or low in UNCOUNTABLE or low in SINGULARS:
        return word
    if low in IRREGULAR:
        return in_case_of(word, IRREGULAR[low])
    if low.endswith("man") and low not in ("human", "german", "roman", "shaman", "talisman"):
        return _changed(word, 3, "men")
    for pattern, cut, ending in _PLURAL_RULES:
        if pattern.search(low):
            return _changed(word, cut, ending)
    return _changed(word, 0, "s")


def singular(word: str) -> str:
    """The singular of a plural noun, in the case pattern of the word."""
    low = word.lower()
    if not low or low in UNCOUNTABLE or low in IRREGULAR:
        return word
    if low in SINGULARS:
        return in_case_of(word, SINGULARS[low])
    if is_plural_of_man(low):
        return _changed(word, 3, "man")
    for pattern, cut, ending in _SINGULAR_RULES:
        if pattern.search(low):
            return _changed(word, cut, ending)
    return word


def is_plural_of_man(low: str) -> bool:
    """Policewomen, but not specimen."""
    return low.endswith("men") and low not in _ENDING_IN_MEN


_ENDING_IN_MEN = frozenset(
    ("abdomen", "acumen", "albumen", "amen", "bitumen", "lumen", "omen", "ramen", "regimen", "specimen", "stamen")
)


def in_case_of(model: str, word: str) -> str:
    """A word written as the model is: CAPITALS, Capitalised or as it is."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def _changed(word: str, cut: int, ending: str) -> str:
    stem = word[: len(word) - cut]
    return stem + (ending.upper() if len(word) > 1 and word.isupper() else ending)
