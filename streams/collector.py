"""Python's cyclic collector, set for a process that folds batches."""

import gc

#: A batch makes some 50,000 container objects, most of which die with it.
OBJECTS_OF_A_BATCH = 50_000


def settle_collector() -> None:
    """What lives now (models, modules, settings) lives as long as the process and is walked no more; what comes is
    looked at about once a batch instead of every 700 objects. Call it when everything is loaded."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_OF_A_BATCH, 20, 100)
