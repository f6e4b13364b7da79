"""Draws a log-log scatter plot of two figures as SVG: one color per series, the diagonal, and bands around it."""

import math
from html import escape

SIZE, LEFT, TOP, BOTTOM = 560, 80, 50, 60
COLOURS = ["#0b6fb8", "#d1570c", "#3a8f3a", "#8a4fb0"]
BAND = 0.15  # the dashed lines: 15 % above and below equality


def _axis(series):
    """Returns the range in whole decades that contains all points."""
    values = [value for _, points in series for _, x, y in points for value in (x, y) if value > 0]
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def _free_place(taken, x, y, words):
    """Returns a free position for a label: next to its point, or above or below existing labels. Marks it as used."""
    width, height = 5 * len(words), 9
    rows = sorted(range(-8, 9), key=lambda row: (abs(row), row))
    places = [(x + side, y + 3 + height * row) for row in rows for side in (8, -8 - width)]

    def is_free(place):
        return all(abs(place[0] - u) >= max(width, w) or abs(place[1] - v) >= height for u, v, w in taken)

    place = next(filter(is_free, places), places[0])
    taken.append((*place, width))
    return place


def scatter(title, x_title, y_title, series):
    """Returns the SVG text. SERIES is [(name, [(label, x, y), ...]), ...]; all figures must be above zero."""
    low, high = _axis(series)
    high = max(high, low + 1)
    right, bottom = LEFT + SIZE, TOP + SIZE
    part = []

    def x_of(value):
        return LEFT + SIZE * (math.log10(value) - low) / (high - low)

    def y_of(value):
        return bottom - SIZE * (math.log10(value) - low) / (high - low)

    def line(x1, y1, x2, y2, style):
        part.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>')

    def text(x, y, words, style=""):
        part.append(f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(words)}</text>')

    part.append(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right + 40}" height="{bottom + BOTTOM}" '
        'font-family="sans-serif" font-size="12">'
    )
    part.append('<rect width="100%" height="100%" fill="white"/>')
    text((LEFT + right) / 2, 26, title, 'text-anchor="middle" font-size="16"')
    for decade in range(low, high + 1):
        at = 10.0**decade
        line(x_of(at), TOP, x_of(at), bottom, 'stroke="#ddd"')
        line(LEFT, y_of(at), right, y_of(at), 'stroke="#ddd"')
        text(x_of(at), bottom + 18, f"{at:,.0f}", 'text-anchor="middle"')
        text(LEFT - 8, y_of(at) + 4, f"{at:,.0f}", 'text-anchor="end"')
    part.append(f'<rect x="{LEFT}" y="{TOP}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#666"/>')
    first, last = 10.0**low, 10.0**high
    line(x_of(first), y_of(first), x_of(last), y_of(last), 'stroke="#666"')
    for factor in (1 + BAND, 1 / (1 + BAND)):
        start, end = max(first, first / factor), min(last, last / factor)
        line(x_of(start), y_of(start * factor), x_of(end), y_of(end * factor), 'stroke="#999" stroke-dasharray="4 4"')
    text((LEFT + right) / 2, bottom + 44, x_title, 'text-anchor="middle"')
    text(0, 0, y_title, f'text-anchor="middle" transform="translate(18 {(TOP + bottom) / 2}) rotate(-90)"')
    taken = []
    for index, (name, points) in enumerate(series):
        color = COLOURS[index % len(COLOURS)]
        part.append(f'<g fill="{color}">')
        part.append(f'<circle cx="{LEFT + 16}" cy="{TOP + 18 + 18 * index}" r="4.5"/>')
        text(LEFT + 28, TOP + 22 + 18 * index, name)
        for label, x, y in points:
            part.append(
                f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="4.5" fill-opacity="0.75">'
                f"<title>{escape(label)}: {y:,.0f}, reference {x:,.0f}</title></circle>"
            )
            text(*_free_place(taken, x_of(x), y_of(y), label), label, 'font-size="9"')
        part.append("</g>")
    part.append("</svg>")
    return "\n".join(part) + "\n"
