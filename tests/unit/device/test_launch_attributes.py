"""What a launch asks for beyond its sizes, in the types that NVIDIA's bindings take for launches and for graphs."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from assistant.device.driver import FunctionHandle, PreparedLaunch
from assistant.device.drivers.cuda import launch_attributes, node_attributes
from assistant.model.launch import Dim3, LaunchConfig

CU: Any = importlib.import_module("cuda.bindings.driver")
CLUSTER, COOPERATIVE = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION", "CU_LAUNCH_ATTRIBUTE_COOPERATIVE"


def prepared(is_cooperative: bool, cluster: Dim3 | None) -> PreparedLaunch:
    return PreparedLaunch(FunctionHandle(1), LaunchConfig(Dim3(8), Dim3(32), 0), (), is_cooperative, None, cluster)


@pytest.mark.parametrize(
    ("launch", "names"),
    [
        (prepared(False, None), []),
        (prepared(True, None), [COOPERATIVE]),
        (prepared(False, Dim3(2, 4)), [CLUSTER]),
        (prepared(True, Dim3(2, 4)), [COOPERATIVE, CLUSTER]),
    ],
)
def test_launches_and_nodes_of_graphs_ask_for_the_same(launch: PreparedLaunch, names: list[str]) -> None:
    launched = [(attribute.id.name, attribute.value) for attribute in launch_attributes(CU, launch)]
    in_graph = [(identity.name, value) for identity, value in node_attributes(CU, launch)]
    assert [name for name, _ in launched] == [name for name, _ in in_graph] == names
    assert all(isinstance(value, CU.CUkernelNodeAttrValue) for _, value in in_graph), "else no node takes them"
    for name, value in (*launched, *in_graph):
        sizes = value.clusterDim
        assert value.cooperative == 1 if name == COOPERATIVE else (sizes.x, sizes.y, sizes.z) == (2, 4, 1)
