"""Writes ids.*, named_index.*, date_index.parquet, groups.parquet and batches.arrow beside it: pip install pandas==3.1.1 pyarrow==26.0.1"""

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


def in_parts():
    """Groups of 50 rows, and batches of 40, some of them empty; words come late."""
    rows = range(430)
    table = pa.table(
        {
            "x": [None if i % 11 == 3 else 0.2 * i for i in rows],
            "whole": pa.array([i * i for i in rows], type=pa.int32()),
            "long": [2**40 + i for i in rows],
            "is_even": [i % 2 == 0 for i in rows],
            "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in rows],
            "word": [None if i % 17 == 5 else ["red", "green", "blue", "grey"][i // 120] for i in rows],
        }
    )
    pq.write_table(table, folder / "groups.parquet", row_group_size=50, data_page_size=200)
    with pa.OSFile(str(folder / "batches.arrow"), "wb") as file:
        with pa.ipc.new_file(file, table.schema) as writer:
            for batch in table.to_batches(max_chunksize=40):
                writer.write_batch(batch.slice(0, 0))
                writer.write_batch(batch)


identifiers()
in_parts()
named = indexed(pd.Index([100 + 7 * i % 30 for i in range(30)], name="patient"))
pq.write_table(named, folder / "named_index.parquet")
with pa.OSFile(str(folder / "named_index.arrows"), "wb") as file:
    with pa.ipc.new_stream(file, named.schema) as writer:
        writer.write_table(named)
days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=i) for i in range(30)]
pq.write_table(indexed(pd.DatetimeIndex(days, name="when")), folder / "date_index.parquet")
