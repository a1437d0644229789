"""Writes accidents.csv beside it: simulated accidents of 60 groups of drivers."""

import math
import random
from pathlib import Path

draw = random.Random(1).random


def poisson(mean: float) -> int:
    """The number of arrivals within a unit of time."""
    count, product = 0, draw()
    while product > math.exp(-mean):
        count, product = count + 1, product * draw()
    return count


lines = ["age,years,accidents"]
for _ in range(60):
    age, years = 18 + int(68 * draw()), 5 + int(75 * draw())
    rate = 0.05 + 0.3 * math.exp(-(age - 18) / 8) + 0.15 * ((age - 50) / 35) ** 4
    lines.append(f"{age},{years},{poisson(years * rate)}")
Path(__file__).with_name("accidents.csv").write_text("\n".join(lines) + "\n")
