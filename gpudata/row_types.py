"""Cell types shared by the row models: what a date, a source address, a share or a positive number looks like."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

NO_ADDRESS = "address not recorded"
"""What ``source_url`` says where a figure was published but its address was not kept."""

Text = Annotated[str, Field(min_length=1)]
Date = Annotated[str, Field(pattern=r"^(19|20)\d{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$")]
Month = Annotated[str, Field(pattern=r"^(19|20)\d{2}-(0[1-9]|1[0-2])$")]
Address = Annotated[str, Field(pattern=r"^(https?://\S+|.*address not recorded|gpudata/\S+)")]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
CountOrNone = Annotated[int, Field(ge=0)]
Currency = Literal["USD", "CNY", "EUR"]


class Row(BaseModel):
    """One line of a table. Unknown columns are errors; a blank cell is absent, hence ``None`` where that is allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class SourcedRow(Row):
    """A line that says where and when its figure was published (or, for specifications, read)."""

    source: Text
    source_url: Address
    date: Date
