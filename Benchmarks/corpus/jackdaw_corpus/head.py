"""What the head makes of one flux reversal: pulse shapes over place."""

import numpy as np


def pulse(model: str, place: np.ndarray, width: float, gap_share: float, tilt: float) -> np.ndarray:
    """Voltage per unit speed of one reversal at 0, over `place`, for a full width at half maximum of `width`.

    lorentz    1 / (1 + (2x/w)^2): a short gap, far away
    karlqvist  the arctangent difference of a gap of length g at distance d; its width is sqrt(g^2 + 4 d^2),
               and `gap_share` is g over that width (O. Karlqvist 1954; arctangent transitions only add to d)

    `tilt` in degrees turns the magnetisation out of the stripe's plane and mixes in the Hilbert transform of the
    pulse, which makes it lopsided.
    """
    if model == "lorentz":
        half = width / 2
        along = half**2 / (half**2 + place**2)
        across = half * place / (half**2 + place**2)
    elif model == "karlqvist":
        gap = gap_share * width
        distance = np.sqrt(width**2 - gap**2) / 2
        area = 2 * np.arctan(gap / (2 * distance))
        along = (np.arctan((gap / 2 + place) / distance) + np.arctan((gap / 2 - place) / distance)) / area
        across = np.log(((place + gap / 2) ** 2 + distance**2) / ((place - gap / 2) ** 2 + distance**2)) / (2 * area)
    else:
        raise ValueError(f"no pulse model {model!r}")
    angle = np.radians(tilt)
    return along * np.cos(angle) + across * np.sin(angle)
