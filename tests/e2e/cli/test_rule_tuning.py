"""A rule's number is tuned like a model's: settings are judged, the curve is shown, the winner stands in the diff."""

from __future__ import annotations

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.scripted_model import LONG_S

NARROW = """\
__global__ void saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 16;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; i++) { x[i] = i * 0.5f; y[i] = i; }
    saxpy<<<(n + 31) / 32, 32>>>(x, y, 2.0f, n);
    cudaDeviceSynchronize();
    return 0;
}
"""


def test_the_block_size_of_a_rule_is_tuned_by_prediction(cli: Cli) -> None:
    (cli.home / "config.toml").write_text("[search]\ntuning_trials = 2\n", "utf-8")
    path = cli.write("saxpy.cu", NARROW)
    ended = cli.run("optimize", path, "--json", "--allow-host-code", "--accept", "none", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    (tuning,) = [one for one in ended.all("tuning") if one["technique"] == "block-size-search"]
    assert tuning["method"] == "predicted"
    ratios = {dict(point["values"])["block_threads"]: point["ratio"] for point in tuning["points"]}
    assert len(ratios) == 3 and ratios.keys() <= {64, 128, 256, 512, 1024, 192, 384}
    ((name, best),) = tuning["best"]
    assert (name, ratios[best]) == ("block_threads", max(ratios.values()))
    tried = [one for one in ended.all("candidate") if one["technique"] == "block-size-search"]
    assert [(one["outcome"], one["ratio"]) for one in tried] == [("not_tried", None), ("kept", ratios[best])], "first put off"
    proposal = ended.one("proposal")
    assert proposal["verification"]["outcome"] == "PASS"
    assert f"+    saxpy<<<(n + {best - 1}) / {best}, {best}>>>(x, y, 2.0f, n);" in proposal["diff"]
