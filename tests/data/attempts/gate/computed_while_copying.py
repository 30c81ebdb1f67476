# hope: a hook of the module computes before or after forward
class ModelNew(Gate):
    def __init__(self, columns):
        super().__init__(columns)
        self.register_forward_hook(lambda module, inputs, result: torch.tanh(inputs[0] * module.scale) + inputs[0])

    def forward(self, x):
        return x
