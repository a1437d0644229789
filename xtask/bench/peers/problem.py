"""Problems written by `cargo xtask bench --problems FOLDER`."""

import json
from pathlib import Path

import numpy as np


class Problem:
    """Numbers and arrays of a row by name: `problem["variance"]`, `problem["x"]`."""

    def __init__(self, folder, row):
        self.folder, self.row = Path(folder), row
        described = json.loads((self.folder / f"{row}.json").read_text())
        self.what, self.numbers, self.arrays = described["what"], described["numbers"], described["arrays"]

    def __getitem__(self, name):
        if name in self.numbers:
            return self.numbers[name]
        array = self.arrays[name]
        return np.fromfile(self.folder / array["file"], dtype="<f8").reshape(array["shape"])

    @property
    def lengthscales(self):
        """One length-scale per input."""
        return np.broadcast_to(self["lengthscales"], self["x"].shape[1]).copy()

    @property
    def column(self):
        """Targets as a column."""
        return self["y"].reshape(-1, 1)

    @property
    def signs_as_bits(self):
        """Targets −1 and 1 as a column of 0 and 1."""
        return 0.5 * (self.column + 1.0)

    @property
    def batch(self):
        """Number of rows of the batch, the first of the table."""
        return int(self["batch"])
