# hope: the reference under the new name is a version
class ModelNew(torch.nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(columns) + 0.5)

    def forward(self, x):
        return torch.tanh(x * self.scale) + x
