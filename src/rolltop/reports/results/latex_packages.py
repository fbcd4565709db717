"""Which Debian package has a file that LaTeX did not find: those that documents commonly ask for."""

from __future__ import annotations

import re

__all__ = ["debian_package", "missing_language"]

_FILES = {
    "texlive-plain-generic": "ulem soul xstring",
    "texlive-latex-recommended": (
        "booktabs beamer pdflscape microtype parskip footnotehyper footnote mathtools listings mathspec unicode-math "
        "subfig subcaption caption setspace float fontspec fancyvrb xcolor memoir scrartcl scrreprt scrbook"
    ),
    "texlive-pictures": "tikz pgf pgfcore pgfplots chemfig circuitikz xypic",
    "texlive-science": "siunitx physics algorithm algorithmic algorithm2e algpseudocode mhchem",
    "texlive-bibtex-extra": "biblatex apacite",
    "texlive-publishers": "IEEEtran elsarticle revtex4-1 revtex4-2 acmart apa6 apa7 llncs",
    "texlive-fonts-extra": "fontawesome fontawesome5 libertine sourcesanspro sourcecodepro inconsolata FiraSans roboto",
    "tex-gyre": "tgpagella tgtermes tgheros tgbonum",
    "lmodern": "lmodern",
    "texlive-luatex": "selnolig",
    "texlive-lang-cjk": "xeCJK CJK CJKutf8",
    "texlive-lang-chinese": "ctex",
    "texlive-lang-german": "german germanb ngerman ngermanb austrian",
    "texlive-lang-french": "french frenchb francais",
    "texlive-lang-spanish": "spanish catalan galician basque",
    "texlive-lang-italian": "italian",
    "texlive-lang-portuguese": "portuguese portuges brazil brazilian",
    "texlive-lang-polish": "polish",
    "texlive-lang-czechslovak": "czech slovak",
    "texlive-lang-cyrillic": "russian ukrainian bulgarian serbianc T2A",
    "texlive-lang-greek": "greek",
    "texlive-lang-european": (
        "dutch danish swedish norsk nynorsk finnish estonian hungarian magyar romanian turkish croatian slovene"
    ),
}
_PACKAGES = {name: package for package, names in _FILES.items() for name in names.split()}
_OTHERWISE = "texlive-latex-extra"
_LANGUAGE = re.compile(r"Package babel Error: Unknown option [`'](\w+)'")


def debian_package(file: str) -> str:
    """The package for `ulem.sty` or `beamer.cls`; most files that are not named here are in texlive-latex-extra."""
    return _PACKAGES.get(file.rpartition("/")[2].partition(".")[0], _OTHERWISE)


def missing_language(log: str) -> str | None:
    """The language whose hyphenation and words babel does not have."""
    found = _LANGUAGE.search(log)
    return found[1] if found and found[1] in _PACKAGES else None
