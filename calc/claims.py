"""What popular guides claim, answered from the models and tables of today.

One answer a row of ``gpudata/popular_claims.csv``; nothing in it is written down beforehand, so an answer moves with
the tables and the fits.
"""

from __future__ import annotations

import pandas as pd

from calc import claims_fit, claims_money, claims_specs, claims_time
from calc.claims_common import Answer, Answerer, Evidence
from calc.tables import Tables

VERDICTS = ("confirmed", "depends", "contradicted")
ANSWERERS: dict[str, Answerer] = {
    **claims_specs.ANSWERS,
    **claims_fit.ANSWERS,
    **claims_time.ANSWERS,
    **claims_money.ANSWERS,
}


def answer_claims(tables: Tables, claims: pd.DataFrame, failures: pd.DataFrame) -> list[Answer]:
    """Answers in the order of ``claims``.

    claims: ``gpudata.load_popular_claims()``. failures: ``gpudata.load_mtbf_to_stretch()``. Raises KeyError for a claim
    nobody answers.
    """
    evidence = Evidence(tables, claims, failures)
    return [ANSWERERS[str(claim)](evidence) for claim in claims["claim_id"]]


__all__ = ["ANSWERERS", "VERDICTS", "Answer", "answer_claims"]
