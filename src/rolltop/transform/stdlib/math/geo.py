"""Points on the globe: distances, directions, areas. Coordinates in degrees, latitude first.

The earth is a sphere of 6371 km. Every function takes coordinates as numbers or points as pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rolltop.transform.errors import fail
from rolltop.transform.stdlib.declare import function
from rolltop.transform.values import is_number, parse_number, unwrap

Point = tuple[float, float]
_MISSING = object()
_RADII = {"km": 6371.0, "mi": 3959.0, "m": 6371000.0, "nm": 3440.0}
_UNITS = {
    "kilometers": "km", "kilometres": "km", "miles": "mi", "mile": "mi", "meters": "m", "metres": "m",
    "nauticalmiles": "nm", "nmi": "nm",
}  # fmt: skip
_UNIT = "km (the default), mi, m or nm"
_AMSTERDAM, _PARIS = "52.3702, 4.8952", "48.8566, 2.3522"


def _number(value: Any) -> float | None:
    """As numbers are taken everywhere: null is 0, booleans are 1 and 0, text is what it spells."""
    value = unwrap(value)
    if value is None or is_number(value) or isinstance(value, bool):
        return float(value or 0)
    return float(number) if isinstance(value, str) and (number := parse_number(value)) is not None else None


def _point(latitude: Any, longitude: Any) -> Point:
    if type(latitude) is type(longitude) is float and -90 <= latitude <= 90 and -180 <= longitude <= 180:
        return latitude, longitude
    lat, lon = _number(latitude), _number(longitude)
    if lat is None or lon is None:
        fail("a coordinate is no number", hint="Coordinates are degrees: latitude -90 to 90, longitude -180 to 180.")
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        fail(f"{lat}, {lon} is no place on earth", hint="Latitude goes from -90 to 90, longitude from -180 to 180.")
    return lat, lon


def _pair(value: Any) -> Point:
    if isinstance(value, dict):
        latitude = next((value[key] for key in ("lat", "latitude") if key in value), _MISSING)
        longitude = next((value[key] for key in ("lon", "lng", "longitude") if key in value), _MISSING)
        return _point(latitude, longitude)
    if not isinstance(value, list) or len(value) != 2:
        fail("this is no point", hint="A point is [latitude, longitude] or {lat: …, lon: …}.")
    return _point(*value)


def _points(arguments: Sequence[Any], count: int) -> tuple[list[Point], list[Any]]:
    """So many points from numbers or from pairs, and the arguments after them."""
    if isinstance(arguments[0], (list, dict)):
        return [_pair(value) for value in arguments[:count]], list(arguments[count:])
    if len(arguments) < 2 * count:
        fail(f"{2 * count} coordinates are needed", hint="Give latitude and longitude of every point.")
    pairs = [_point(arguments[at], arguments[at + 1]) for at in range(0, 2 * count, 2)]
    return pairs, list(arguments[2 * count :])


def _radius(rest: Sequence[Any]) -> float:
    if not rest:
        return _RADII["km"]
    if len(rest) > 1:
        fail("there are too many arguments", hint="After the points comes the unit, and nothing else.")
    name = str(rest[0]).lower().replace(" ", "")
    radius = _RADII.get(_UNITS.get(name, name))
    if radius is None:
        fail(f"there is no unit {str(rest[0])[:40]!r}", hint=f"Use {_UNIT}.")
    return radius


def _length(value: Any, what: str) -> float:
    number = _number(value)
    if number is None or not math.isfinite(number):
        fail(f"the {what} is no number", hint="Give it as a number.")
    return number


def _angle(a: Point, b: Point) -> float:
    """The angle between two points at the centre of the earth (haversine)."""
    lat1, lat2 = math.radians(a[0]), math.radians(b[0])
    half_lat, half_lon = math.radians(b[0] - a[0]) / 2, math.radians(b[1] - a[1]) / 2
    h = math.sin(half_lat) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin(half_lon) ** 2
    return 2 * math.atan2(math.sqrt(h), math.sqrt(max(0.0, 1 - h)))


def _degrees(lat: float, lon: float) -> list[float]:
    return [math.degrees(lat), (math.degrees(lon) + 540) % 360 - 180]


@function(
    "distance(a: Any, b: Any, c?: Any, d?: Any, unit?: String): Number",
    category="math",
    examples=[
        (f"round(distance({_AMSTERDAM}, {_PARIS}))", "430"),
        (f'round(distance([{_AMSTERDAM}], [{_PARIS}], "mi"))', "267"),
        ("distance(null, 0, 0, 0)", "0"),
        ("distance(91, 0, 0, 0)", "error: no place on earth"),
    ],
    aliases=("geoDistance",),
    params={"a": "Latitude, or the first point", "b": "Longitude, or the second point", "c": "Latitude of the second "
            "point, or the unit", "d": "Longitude of the second point", "unit": _UNIT},
)  # fmt: skip
def distance(*arguments: Any) -> float:
    """How far two points are apart: distance(lat1, lon1, lat2, lon2, unit?) or distance(point, point, unit?)."""
    if len(arguments) == 4:
        return 6371.0 * _angle(_point(*arguments[:2]), _point(*arguments[2:]))
    (a, b), rest = _points(arguments, 2)
    return _radius(rest) * _angle(a, b)


@function(
    "bearing(a: Any, b: Any, c?: Any, d?: Any): Number",
    category="math",
    examples=[("bearing(0, 0, 0, 10)", "90"), ("bearing([0, 0], [-10, 0])", "180")],
    aliases=("geoBearing",),
    params={"a": "Latitude, or the first point", "b": "Longitude, or the second point"},
)
def bearing(*arguments: Any) -> float:
    """The direction from one point to another, in degrees from north, 0 to 360."""
    (a, b), rest = _points(arguments, 2)
    _nothing_after(rest)
    lat1, lat2, turn = math.radians(a[0]), math.radians(b[0]), math.radians(b[1] - a[1])
    east = math.sin(turn) * math.cos(lat2)
    north = math.cos(lat1) * math.sin(lat2) - math.sin(lat1) * math.cos(lat2) * math.cos(turn)
    return math.degrees(math.atan2(east, north)) % 360


def _nothing_after(rest: Sequence[Any]) -> None:
    if rest:
        fail("there are too many arguments", hint="Give two points, or four coordinates.")


@function(
    "midpoint(a: Any, b: Any, c?: Any, d?: Any): Array<Number>",
    category="math",
    examples=[("midpoint(0, 0, 0, 90)", "[0, 45]"), ("midpoint([0, 0], [0, 90])", "[0, 45]")],
    aliases=("geoMidpoint",),
    params={"a": "Latitude, or the first point", "b": "Longitude, or the second point"},
)
def midpoint(*arguments: Any) -> list[float]:
    """The point half-way between two points, as [latitude, longitude]."""
    (a, b), rest = _points(arguments, 2)
    _nothing_after(rest)
    lat1, lat2, lon1, turn = math.radians(a[0]), math.radians(b[0]), math.radians(a[1]), math.radians(b[1] - a[1])
    x, y = math.cos(lat2) * math.cos(turn), math.cos(lat2) * math.sin(turn)
    lat = math.atan2(math.sin(lat1) + math.sin(lat2), math.hypot(math.cos(lat1) + x, y))
    return _degrees(lat, lon1 + math.atan2(y, math.cos(lat1) + x))


@function(
    "destinationPoint(a: Any, b: Any, c: Any, d?: Any, unit?: String): Array<Number>",
    category="math",
    examples=[
        ("round(destinationPoint(0, 0, 10007.54, 90)[1])", "90"),
        ('round(destinationPoint([0, 0], 3440, 0, "nm")[0])', "57"),
    ],
    aliases=("geoDestination",),
    params={"a": "Latitude, or the point", "b": "Longitude, or the distance", "c": "The distance, or the direction",
            "d": "The direction in degrees from north, or the unit", "unit": _UNIT},
)  # fmt: skip
def destination_point(*arguments: Any) -> list[float]:
    """Where one gets: destinationPoint(lat, lon, distance, bearing, unit?) or with a point first."""
    (start,), rest = _points(arguments, 1)
    if len(rest) < 2:
        fail("distance and direction are needed", hint="Write destinationPoint([lat, lon], distance, bearing).")
    angle = _length(rest[0], "distance") / _radius(rest[2:])
    course, lat1, lon1 = math.radians(_length(rest[1], "direction")), math.radians(start[0]), math.radians(start[1])
    lat2 = math.asin(math.sin(lat1) * math.cos(angle) + math.cos(lat1) * math.sin(angle) * math.cos(course))
    east = math.sin(course) * math.sin(angle) * math.cos(lat1)
    return _degrees(lat2, lon1 + math.atan2(east, math.cos(angle) - math.sin(lat1) * math.sin(lat2)))


@function(
    "isPointInCircle(a: Any, b: Any, c: Any, d?: Any, radius?: Any, unit?: String): Boolean",
    category="math",
    examples=[
        (f"isPointInCircle({_AMSTERDAM}, {_PARIS}, 500)", "true"),
        (f'isPointInCircle([{_AMSTERDAM}], [{_PARIS}], 200, "mi")', "false"),
    ],
    aliases=("inCircle",),
    params={"a": "Latitude, or the point", "b": "Longitude, or the centre", "unit": _UNIT,
            "c": "Latitude of the centre, or the radius", "d": "Longitude of the centre, or the unit"},
)  # fmt: skip
def is_point_in_circle(*arguments: Any) -> bool:
    """Whether a point is within a distance of a centre: coordinates of both, or two points, then the radius."""
    (point, centre), rest = _points(arguments, 2)
    if not rest:
        fail("the radius is needed", hint="Write isPointInCircle(point, centre, radius).")
    return _radius(rest[1:]) * _angle(point, centre) <= _length(rest[0], "radius")


_SQUARE = "[[0, 0], [0, 10], [10, 10], [10, 0]]"


@function(
    "isPointInPolygon(a: Any, b: Any, polygon?: Array): Boolean",
    category="math",
    examples=[(f"isPointInPolygon(5, 5, {_SQUARE})", "true"), (f"isPointInPolygon([15, 5], {_SQUARE})", "false")],
    aliases=("inPolygon",),
    params={"a": "Latitude, or the point", "b": "Longitude, or the polygon", "polygon": "Its corners, in order"},
)
def is_point_in_polygon(*arguments: Any) -> bool:
    """Whether a point lies inside a polygon."""
    (point,), rest = _points(arguments, 1)
    if len(rest) != 1 or not isinstance(rest[0], list) or len(rest[0]) < 3:
        fail("a polygon of at least three corners is needed", hint="A polygon is [[lat, lon], [lat, lon], [lat, lon]].")
    corners = [_pair(corner) for corner in rest[0]]
    inside = False
    for (lat1, lon1), (lat2, lon2) in zip(corners, [corners[-1], *corners[:-1]], strict=True):
        crosses = (lon1 > point[1]) != (lon2 > point[1])
        if crosses and point[0] < (lat2 - lat1) * (point[1] - lon1) / (lon2 - lon1) + lat1:
            inside = not inside
    return inside


@function(
    "boundingBox(points: Array): { minLat: Number, maxLat: Number, minLon: Number, maxLon: Number }",
    category="math",
    examples=[("boundingBox([[1, 5], [3, -2]])", "{minLat: 1, maxLat: 3, minLon: -2, maxLon: 5}")],
    aliases=("geoBounds",),
)
def bounding_box(points: list[Any]) -> dict[str, float]:
    """The smallest box of latitudes and longitudes around points."""
    if not points:
        fail("there are no points", hint="Give at least one.")
    latitudes, longitudes = zip(*map(_pair, points), strict=True)
    return {
        "minLat": min(latitudes),
        "maxLat": max(latitudes),
        "minLon": min(longitudes),
        "maxLon": max(longitudes),
    }


@function(
    "isValidCoordinates(a: Any, longitude?: Any): Boolean",
    category="math",
    examples=[
        ("isValidCoordinates(52, 4)", "true"),
        ("isValidCoordinates([91, 0])", "false"),
        ('isValidCoordinates("x", 0)', "false"),
        ("isValidCoordinates(null, 0)", "false"),
    ],
    aliases=("validCoords",),
    params={"a": "Latitude, or a pair [latitude, longitude]"},
)
def is_valid_coordinates(*arguments: Any) -> bool:
    """Whether a latitude is there and from -90 to 90, and a longitude from -180 to 180."""
    pair = arguments[0] if len(arguments) == 1 else list(arguments)
    if not isinstance(pair, list) or len(pair) != 2:
        return False
    if None in pair:
        return False
    lat, lon = map(_number, pair)
    return lat is not None and lon is not None and -90 <= lat <= 90 and -180 <= lon <= 180
