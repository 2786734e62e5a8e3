"""beanjar on a Spark cluster: the same methods for labels that do not fit one machine, or already live on many.

>>> from beanjar import spark                                              # doctest: +SKIP
>>> found = spark.aggregate("labels.parquet", method="dawid-skene")        # doctest: +SKIP
>>> found.tasks.write.parquet("truth.parquet")                             # doctest: +SKIP

Spark 3.5 or 4 (``pip install beanjar[spark]``); executors need beanjar and pyarrow.
"""

from ._aggregate import Aggregation, aggregate
from ._inspect import inspect
from ._select import select
from ._workers import rank_workers

__all__ = ["Aggregation", "aggregate", "inspect", "rank_workers", "select"]
