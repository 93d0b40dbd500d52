"""How often the fit verdict is wrong: accepted though it ran out of memory, refused though it ran."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from calc.predict import predict_frame
from calc.tables import Tables

LISTED_COLUMNS = (
    "case_id",
    "model",
    "method",
    "gpu",
    "num_gpus",
    "parallelism",
    "framework",
    "peak_mem_gib",
    "source_url",
    "trust",
)


@dataclass(frozen=True)
class VerdictErrors:
    """Runs with a verdict, by their outcome, and the rows that were misjudged.

    ``ran_out`` and ``ran`` count the runs judged; ``accepted`` lists those that ran out of memory though the verdict
    was "fits", ``refused`` those that ran though it was "no"; the ``tight`` counts are neither.
    """

    ran_out: int
    ran: int
    accepted: pd.DataFrame
    refused: pd.DataFrame
    tight_ran_out: int
    tight_ran: int

    @property
    def accepted_share(self) -> float:
        """Share of the runs out of memory that were called "fits"."""
        return len(self.accepted) / self.ran_out if self.ran_out else float("nan")

    @property
    def refused_share(self) -> float:
        """Share of the runs that ran and were called "no"."""
        return len(self.refused) / self.ran if self.ran else float("nan")


def _judged(runs: pd.DataFrame, tables: Tables) -> pd.DataFrame:
    predicted = predict_frame(runs, tables)
    columns = [name for name in LISTED_COLUMNS if name in runs.columns]
    listed = runs[columns].reset_index(drop=True)
    listed["peak_mem_gib"] = predicted["peak_mem_gib"].to_numpy()
    listed["fits"] = predicted["fits"].to_numpy()
    return listed[listed["fits"] != ""]


def verdict_errors(measured: pd.DataFrame, out_of_memory: pd.DataFrame, tables: Tables) -> VerdictErrors:
    """Verdicts on published runs; a row without a known card has none and does not count.

    measured, out_of_memory: runs in the format of ``gpudata/measurements.csv`` that ran, and that ran out of memory.
    """
    ran, ran_out = _judged(measured, tables), _judged(out_of_memory, tables)
    return VerdictErrors(
        ran_out=len(ran_out),
        ran=len(ran),
        accepted=ran_out[ran_out["fits"] == "yes"].reset_index(drop=True),
        refused=ran[ran["fits"] == "no"].reset_index(drop=True),
        tight_ran_out=int((ran_out["fits"] == "tight").sum()),
        tight_ran=int((ran["fits"] == "tight").sum()),
    )
