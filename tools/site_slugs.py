"""Anchors of headings as tests/docs/check_links.py and Git hosts have them: small letters, - for blanks, letters and digits."""
import re


def github(text, separator):
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)
