"""English plurals and singulars."""

from __future__ import annotations

import re

from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import number_text

__all__ = [
    "IRREGULAR",
    "SINGULARS",
    "UNCOUNTABLE",
    "in_case_of",
    "is_plural_of_man",
    "is_singular_in_s",
    "plural",
    "singular",
]

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
    "parenthesis": "parentheses", "synthesis": "syntheses", "oasis": "oases", "axis": "axes", "emphasis": "emphases",
    "ellipsis": "ellipses", "synopsis": "synopses", "prognosis": "prognoses", "neurosis": "neuroses",
    "psychosis": "psychoses", "metamorphosis": "metamorphoses", "catharsis": "catharses", "ellipse": "ellipses",
    "criterion": "criteria", "phenomenon": "phenomena", "datum": "data", "medium": "media",
    "bacterium": "bacteria", "curriculum": "curricula", "memorandum": "memoranda", "stratum": "strata",
    "index": "indices", "appendix": "appendices", "matrix": "matrices", "vertex": "vertices", "vortex": "vortices",
    "quiz": "quizzes", "bus": "buses", "gas": "gases", "status": "statuses", "virus": "viruses", "campus": "campuses",
    "axe": "axes", "lens": "lenses", "atlas": "atlases",
}  # fmt: skip
SINGULARS: dict[str, str] = {}
for _one, _many in IRREGULAR.items():
    SINGULARS.setdefault(_many, _one)
_WORDS_WITHOUT_PLURAL = """
    sheep fish deer species series aircraft spacecraft salmon trout moose bison swine shrimp information equipment
    rice money news software hardware furniture luggage traffic advice knowledge research evidence feedback music
    weather water air bread butter sugar salt sand homework progress mathematics physics economics politics
    athletics ethics headquarters means offspring police cattle pants trousers scissors glasses jeans metadata chassis
"""
UNCOUNTABLE = frozenset(_WORDS_WITHOUT_PLURAL.split())

_PLURAL_RULES = (
    (re.compile(r"sis$"), 2, "es"),
    (re.compile(r"(?:s|x|z|ch|sh)$"), 0, "es"),
    (re.compile(r"[^aeiou]y$"), 1, "ies"),
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_END_IN_S = _words("""
    alias bias canvas pancreas christmas madras iris pelvis trellis metropolis acropolis necropolis tennis
    mantis ibis penis clitoris portcullis cosmos chaos thermos rhinoceros asbestos ethos pathos gps sms dns
""")
"""Singulars; so are all in -ss, -us, -sis and -itis."""
_END_IN_U = _words("""
    menu guru emu gnu haiku tutu cpu gpu hindu zulu sudoku snafu flu tofu caribou bayou plateau bureau beau
    tableau chateau gateau milieu adieu
""")
_END_IN_USE = _words("use reuse misuse abuse excuse fuse muse ruse recluse hypotenuse refuse")
_END_IN_IE = _words("""
    calorie movie cookie zombie prairie genie selfie hoodie rookie brownie smoothie birdie hippie newbie freebie
    pixie sortie reverie menagerie necktie magpie talkie walkie veggie foodie junkie groupie bogie collie auntie
    cutie sweetie goalie coterie budgie boogie indie oldie yuppie techie bookie caddie eerie specie eyrie
    lingerie rotisserie patisserie
""")
_END_IN_CHE = _words("""
    ache headache toothache backache stomachache earache heartache cache niche cliche creche moustache mustache
    avalanche brioche quiche psyche pastiche microfiche cartouche attache
""")
_END_IN_OE = _words("shoe horseshoe snowshoe toe tiptoe canoe hoe oboe woe foe doe floe roe aloe throe mistletoe")


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
    if not low.endswith(("s", "men")) and low not in SINGULARS:
        return word
    if low in UNCOUNTABLE or low in IRREGULAR or is_singular_in_s(low):
        return word
    if low in SINGULARS:
        return in_case_of(word, SINGULARS[low])
    if is_plural_of_man(low):
        return _changed(word, 3, "man")
    if not low.endswith("s"):
        return word
    return _changed(word, *_ending(low))


def is_singular_in_s(low: str) -> bool:
    """Whether a noun in -s is one of those that have it in the singular."""
    if low in _END_IN_S or low.endswith(("ss", "sis", "itis")):
        return True
    return low.endswith("us") and low[:-1] not in _END_IN_U


def _ending(low: str) -> tuple[int, str]:
    """How many letters of a plural in -s to cut off, and what comes in their place."""
    if low.endswith("ies"):
        return (1, "") if len(low) <= 4 or low[:-1] in _END_IN_IE or low[-4] in "aeiou" else (3, "y")
    if low.endswith("ses"):
        return _ending_after_s(low)
    if low.endswith("ches"):
        return (1, "") if low[:-1] in _END_IN_CHE else (2, "")
    if low.endswith("oes"):
        return (1, "") if low[:-1] in _END_IN_OE else (2, "")
    return (2, "") if low.endswith(("xes", "shes", "zzes", "tzes")) else (1, "")


def _ending_after_s(low: str) -> tuple[int, str]:
    """Of plurals in -ses: bonus, class, thesis, and else house or case."""
    base = low[:-2]
    if base.endswith("us") and not base.endswith(("ous", "aus")):
        return (1, "") if low[:-1] in _END_IN_USE else (2, "")
    if base in _END_IN_S or base.endswith("ss"):
        return 2, ""
    if low.endswith("lyses") or (low.endswith("eses") and not low.endswith(("eeses", "oceses"))):
        return 2, "is"
    return 1, ""


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


@function(
    "pluralize(word: String, count?: Number?): String",
    category="string",
    params={"count": "With 1 the word stays as it is"},
    examples=[
        ('pluralize("box")', '"boxes"'),
        ('pluralize("Child")', '"Children"'),
        ('pluralize("city", 1)', '"city"'),
        ('pluralize("sheep")', '"sheep"'),
    ],
)
def pluralize(word: str, count: float | None = None) -> str:
    """The English plural of a noun."""
    return word if count == 1 else plural(word)


@function(
    "singularize(word: String): String",
    category="string",
    examples=[
        ('singularize("boxes")', '"box"'),
        ('singularize("PEOPLE")', '"PERSON"'),
        ('singularize("aliases")', '"alias"'),
        ('singularize("bus")', '"bus"'),
    ],
)
def singularize(word: str) -> str:
    """The English singular of a noun."""
    return singular(word)


@function(
    "pluralizeWithCount(word: String, count: Number?): String",
    category="string",
    examples=[('pluralizeWithCount("item", 3)', '"items"'), ('pluralizeWithCount("item", 1)', '"item"')],
)
def pluralize_with_count(word: str, count: float | None) -> str:
    """The form of a noun that goes with a number; the word itself when the number is null."""
    return word if count is None or count == 1 else plural(word)


@function(
    "formatPlural(count: Number, word: String): String",
    category="string",
    examples=[('formatPlural(3, "box")', '"3 boxes"'), ('formatPlural(1, "box")', '"1 box"')],
)
def format_plural(count: float, word: str) -> str:
    """A number with its noun in the right form."""
    return f"{number_text(count)} {word if count == 1 else plural(word)}"


@function(
    "isPlural(word: String): Boolean",
    category="string",
    examples=[('isPlural("children")', "true"), ('isPlural("bus")', "false"), ('isPlural("sheep")', "false")],
)
def is_plural(word: str) -> bool:
    """Whether a noun is an English plural; false for nouns that have none."""
    low = word.strip().lower()
    if low in SINGULARS or is_plural_of_man(low):
        return True
    return low.endswith("s") and low not in UNCOUNTABLE and low not in IRREGULAR and not is_singular_in_s(low)


@function(
    "isSingular(word: String): Boolean",
    category="string",
    examples=[('isSingular("child")', "true"), ('isSingular("boxes")', "false"), ('isSingular("sheep")', "false")],
)
def is_singular(word: str) -> bool:
    """Whether a noun is an English singular; false for nouns that have no plural."""
    low = word.strip().lower()
    return bool(low) and low not in UNCOUNTABLE and not is_plural(low)
