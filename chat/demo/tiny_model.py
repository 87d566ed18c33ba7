"""Writes a random llama model of half a megabyte that real llama.cpp servers load.

Its answers are plain words in random order, and fast. Needs gguf and numpy, which
only `make demo` and the tests install.

How it stays readable: dimension 0 of the residual stream is held constant, and the
output row of a token carries in that dimension how likely it is at all. Control and
byte tokens get a large negative one; the end of a turn comes now and then.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np

TEMPLATE = (
    "{%- if tools %}{{ '<|system|>Tools: ' + (tools | tojson) + '\\n' }}{%- endif %}"
    "{%- for message in messages %}"
    "{{ '<|' + message['role'] + '|>' + (message['content'] or '') + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{%- endif %}"
)
WORDS = (  # noqa: SIM905 - a list of words is read as prose
    "a an and are as at be but by can did do each find for from get has have he her "
    "here his how if in into is it its long look made make many may more most must my "
    "new no not now of old on one only or other our out over part people place put "
    "read right said same see she should small so some such take than that the their "
    "them then there these they thing this time to too two under up use very was way "
    "we well were what when where which who why will with word work world would write "
    "you your answer ask layer machine model network question server table token "
    "window morning river stone garden light winter letter paper green quiet"
).split()
_START = "\u2581"  # how sentencepiece marks the start of a word
_END_OF_TURN = 2


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the model is. More layers and a wider `dim` make it slow to load."""

    layers: int = 2
    dim: int = 64
    heads: int = 4
    feed_forward: int = 128
    context: int = 8192

    @property
    def kv_heads(self) -> int:
        return max(1, self.heads // 2)

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


@dataclass(frozen=True, slots=True)
class Vocabulary:
    tokens: tuple[str, ...]
    kinds: tuple[int, ...]
    first_plain: int


def vocabulary() -> Vocabulary:
    """Control tokens, the 256 bytes, words with their beginnings, and letters.

    The beginnings are there because a merge reaches a word letter by letter.
    """
    kind = gguf.TokenType
    control = [("<unk>", kind.UNKNOWN), ("<s>", kind.CONTROL), ("</s>", kind.CONTROL)]
    raw = [(f"<0x{byte:02X}>", kind.BYTE) for byte in range(256)]
    words = [_START + word for word in WORDS]
    beginnings = [word[:end] for word in words for end in range(2, len(word))]
    letters = [_START, *string.ascii_letters, *string.digits, *string.punctuation]
    plain = dict.fromkeys([*words, *beginnings, *letters])
    rows = [*control, *raw, *((token, kind.NORMAL) for token in plain)]
    return Vocabulary(
        tokens=tuple(token for token, _ in rows),
        kinds=tuple(int(row_kind) for _, row_kind in rows),
        first_plain=len(control) + len(raw),
    )


def write_tiny_model(path: Path, shape: Shape | None = None) -> None:
    """Write the model to `path`, the same bytes each time for one shape."""
    shape = shape or Shape()
    words = vocabulary()
    writer = gguf.GGUFWriter(str(path), "llama")
    _describe(writer, shape, words)
    for name, tensor in _tensors(shape, words):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: Any, shape: Shape, words: Vocabulary) -> None:
    writer.add_name("Tiny random llama")
    writer.add_size_label("tiny")
    writer.add_file_type(0)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.dim)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(shape.head_dim)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(words.tokens))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(list(words.tokens))
    writer.add_token_scores([-float(rank) for rank in range(len(words.tokens))])
    writer.add_token_types(list(words.kinds))
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(_END_OF_TURN)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_chat_template(TEMPLATE)


def _tensors(shape: Shape, words: Vocabulary) -> list[tuple[str, Any]]:
    random = np.random.default_rng(7)

    def noise(*size: int, scale: float = 0.08) -> Any:
        return (random.standard_normal(size) * scale).astype(np.float32)

    def silent_at_0(*size: int) -> Any:
        """Writes nothing into dimension 0 of the residual stream."""
        found = noise(*size)
        found[0] = 0.0
        return found

    embedding = noise(len(words.tokens), shape.dim, scale=1.0)
    embedding[:, 0] = 6.0
    output = noise(len(words.tokens), shape.dim, scale=0.5)
    output[:, 0] = 0.0
    output[: words.first_plain, 0] = -20.0
    output[_END_OF_TURN, 0] = 0.2
    ones, kv = np.ones(shape.dim, np.float32), shape.kv_heads * shape.head_dim
    tensors = [("token_embd.weight", embedding)]
    for layer in range(shape.layers):
        block = {
            "attn_norm": ones,
            "attn_q": noise(shape.dim, shape.dim),
            "attn_k": noise(kv, shape.dim),
            "attn_v": noise(kv, shape.dim),
            "attn_output": silent_at_0(shape.dim, shape.dim),
            "ffn_norm": ones,
            "ffn_gate": noise(shape.feed_forward, shape.dim),
            "ffn_up": noise(shape.feed_forward, shape.dim),
            "ffn_down": silent_at_0(shape.dim, shape.feed_forward),
        }
        tensors += [(f"blk.{layer}.{name}.weight", t) for name, t in block.items()]
    return [*tensors, ("output_norm.weight", ones), ("output.weight", output)]
