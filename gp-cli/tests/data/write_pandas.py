"""Writes ids.*, named_index.* and date_index.parquet beside it: pip install pandas==3.1.1 pyarrow==26.0.1"""

import datetime
import math
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq

folder = Path(__file__).parent


def identifiers():
    """Integers that floating-point numbers do not tell apart, three rows each."""
    rows = range(12)
    frame = pd.DataFrame(
        {
            "patient": pd.array([2**53 + i // 3 for i in rows], dtype="int64"),
            "sensor": pd.array([2**64 - 1 - i // 3 for i in rows], dtype="uint64"),
            "x": [0.5 * i for i in rows],
            "y": [math.sin(0.5 * i) for i in rows],
        }
    )
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    table = table.append_column("ward", table["patient"].dictionary_encode())
    pq.write_table(table, folder / "ids.parquet")
    pf.write_feather(table, folder / "ids.feather", compression="uncompressed")


def indexed(index):
    rows = range(30)
    values = {"x": [0.2 * i for i in rows], "y": [math.sin(0.2 * i) for i in rows]}
    return pa.Table.from_pandas(pd.DataFrame(values, index=index))


identifiers()
named = indexed(pd.Index([100 + 7 * i % 30 for i in range(30)], name="patient"))
pq.write_table(named, folder / "named_index.parquet")
with pa.OSFile(str(folder / "named_index.arrows"), "wb") as file:
    with pa.ipc.new_stream(file, named.schema) as writer:
        writer.write_table(named)
days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=i) for i in range(30)]
pq.write_table(indexed(pd.DatetimeIndex(days, name="when")), folder / "date_index.parquet")
