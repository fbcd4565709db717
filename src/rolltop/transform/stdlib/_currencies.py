"""ISO 4217: the codes in use, how many decimals they have, and their signs in English."""

from __future__ import annotations

__all__ = ["SIGNS", "decimals_of"]

_TWO = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE "
    "CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL "
    "HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR "
    "MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK "
    "SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD "
    "XCG YER ZAR ZMW ZWG"
)
_NONE = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE = "BHD IQD JOD KWD LYD OMR TND"
_FOUR = "CLF UYW"
_UNITS = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XUA"
"""Metals, drawing rights and units of account: ISO 4217 gives them no decimals to speak of, people write two."""
_DECIMALS = {
    code: places
    for codes, places in ((_TWO, 2), (_UNITS, 2), (_NONE, 0), (_THREE, 3), (_FOUR, 4))
    for code in codes.split()
}

SIGNS = {
    "AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪",
    "INR": "₹", "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "$",
    "VND": "₫", "XAF": "FCFA", "XCD": "EC$", "XPF": "CFPF",
}  # fmt: skip
"""As CLDR has them for English; other currencies show their code."""


def decimals_of(code: str) -> int | None:
    """How many decimals amounts of a currency have; None when there is no such currency."""
    return _DECIMALS.get(code.strip().upper())
