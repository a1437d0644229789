"""Writes polars_none.feather, polars_lz4.feather and polars_zstd.feather beside it: pip install polars==2.1.0"""

import datetime as dt
from pathlib import Path

import polars as pl

table = pl.DataFrame(
    {
        "a": [1.5, -2.0, None],
        "b": pl.Series(["red", "blue", "red"], dtype=pl.Categorical),
        "c": [dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(1969, 12, 31)],
        "d": [True, False, True],
        "e": pl.Series([1, 2, 3], dtype=pl.Int16),
        "f": ["u", "a word longer than a view holds", None],
        "g": [dt.datetime(2024, 1, 1, 12), None, dt.datetime(1970, 1, 1)],
    }
)
table = pl.concat([table, table[::-1]], rechunk=False)
for name, packing in [("none", "uncompressed"), ("lz4", "lz4"), ("zstd", "zstd")]:
    path = Path(__file__).with_name(f"polars_{name}.feather")
    table.write_ipc(path, compression=packing, record_batch_size=3)
