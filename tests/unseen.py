"""Which characters of a text nobody sees, or only as a blank: the standard's properties, not the package's list."""

from __future__ import annotations

import unicodedata
from typing import Final

CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
"""Controls, what formats, halves of surrogate pairs, private use, what is not assigned; and separators."""

IGNORABLE: Final = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point, as DerivedCoreProperties.txt of Unicode 16 has it."""
INKLESS: Final = ((0x2800, 0x2800), (0x13441, 0x13442), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159))
"""Symbols and letters whose glyph is a blank: Braille, hieroglyphs, Khitan, music."""
NONCHARACTERS: Final = ((0xFDD0, 0xFDEF), *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)))

LISTED: Final = frozenset(
    chr(code) for first, last in (*IGNORABLE, *INKLESS, *NONCHARACTERS) for code in range(first, last + 1)
)


def is_unseen(character: str) -> bool:
    """Whether nobody sees this character; everybody knows that U+0020 is one."""
    return character != " " and (unicodedata.category(character) in CATEGORIES or character in LISTED)


def unseen(text: str) -> list[str]:
    """Those in this text."""
    return sorted(filter(is_unseen, set(text)))
