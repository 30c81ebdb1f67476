"""A transformer without weights and a tokenizer without a vocabulary: both are made here, from the toy tasks' own words.

A word is a name (``blockIdx.x``), a number, an operator, a bracket or the name of a technique. Example::

    tokenizer = made_tokenizer()
    made_model(tokenizer, seed=1).num_parameters()      # 87,000
"""

from __future__ import annotations

from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

from kernelopt_trl.language import STOP, TECHNIQUES
from kernelopt_trl.toy import TASKS

__all__ = ["made_model", "made_tokenizer"]

_PAD, _END, _UNKNOWN = "<pad>", "<end>", "<unknown>"
_WIDTH = 64
_LONGEST = 256
"""Words of a prompt and its answer."""


def made_tokenizer() -> PreTrainedTokenizerFast:
    words_of = pre_tokenizers.Split(Regex(r"[\w.]+|[-+*/%<>=&?:]+|\S"), "isolated")
    splitter = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), words_of])
    words = sorted({word for task in TASKS.values() for word, _ in splitter.pre_tokenize_str(task.kernel)})
    vocabulary = {word: number for number, word in enumerate([_PAD, _END, _UNKNOWN, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=_UNKNOWN))
    tokenizer.pre_tokenizer = splitter
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in (*TECHNIQUES, STOP)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=_PAD, eos_token=_END, unk_token=_UNKNOWN, padding_side="left", model_max_length=_LONGEST
    )


def made_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    set_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=_WIDTH,
        initializer_range=_WIDTH**-0.5,  # the library's 0.02 is for thousands: here it would attend to all words alike for long
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=_LONGEST,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        tie_word_embeddings=False,
    )
    return LlamaForCausalLM(config)
