"""Work on `dask.distributed` workers: one for each GPU, others for the emulator and for builds, on one machine or on many.

It sends pieces of work (files, and what is asked about them) to whichever worker offers what they need, and gives each answer once,
whatever workers are lost on the way. It knows nothing of what the work is: that is put together in `assistant.cli.cluster_work`. Only
text and files travel, no path of the sender and nothing of its environment or settings. Example::

    async with open_cluster("tcp://10.0.0.5:8786", carry_out) as cluster:
        device = await cluster.device("gpu")
        (await cluster.run(WorkItem("judge", about, files), device)).value
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.cluster.build_name import own_build as own_build
    from assistant.cluster.client import Cluster as Cluster
    from assistant.cluster.client import WorkLostError as WorkLostError
    from assistant.cluster.executing import CarryOut as CarryOut
    from assistant.cluster.executing import answered as answered
    from assistant.cluster.offers import CPU as CPU
    from assistant.cluster.offers import Offer as Offer
    from assistant.cluster.opening import demand_dask as demand_dask
    from assistant.cluster.opening import open_cluster as open_cluster
    from assistant.cluster.work import Done as Done
    from assistant.cluster.work import Place as Place
    from assistant.cluster.work import WorkFile as WorkFile
    from assistant.cluster.work import WorkItem as WorkItem
    from assistant.cluster.work import files_below as files_below
    from assistant.cluster.work import write_files as write_files
    from assistant.cluster.workers import WorkerPlan as WorkerPlan
    from assistant.cluster.workers import planned_workers as planned_workers
    from assistant.cluster.workers import serve as serve

__getattr__ = names_of(__name__, __file__)
