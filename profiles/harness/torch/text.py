"""BERT base for question answering and the two-layer LSTM, in plain torch."""
import math

import torch
from torch import nn
from torch.nn import functional as F

BERT_VOCABULARY = 30522
BERT_TOKENS = 384  # per sample
SENTENCE_TOKENS = 128  # per sample of the small ones
LSTM_VOCABULARY = 33278  # of WikiText-2
LSTM_TOKENS = 64  # per sample; the papers do not say


class Attention(nn.Module):
    def __init__(self, wide, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(wide, wide) for _ in range(4))

    def forward(self, x, mask):
        n, tokens, wide = x.shape

        def split(y):
            return y.view(n, tokens, self.heads, wide // self.heads).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(wide // self.heads) + mask
        seen = torch.matmul(F.dropout(F.softmax(scores, -1), 0.1, self.training), v)
        return self.out(seen.transpose(1, 2).reshape(n, tokens, wide))


class Layer(nn.Module):
    def __init__(self, wide, heads):
        super().__init__()
        self.attention, self.norm1, self.norm2 = Attention(wide, heads), nn.LayerNorm(wide, 1e-12), nn.LayerNorm(wide, 1e-12)
        self.feed = nn.Sequential(nn.Linear(wide, 4 * wide), nn.GELU(), nn.Linear(4 * wide, wide))
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        x = self.norm1(x + self.drop(self.attention(x, mask)))
        return self.norm2(x + self.drop(self.feed(x)))


class BERT(nn.Module):
    """BERT base uncased with a span head: 108,893,186 parameters. distilBERT has no parts."""

    def __init__(self, wide=768, layers=12, heads=12, parts=True):
        super().__init__()
        self.word, self.place, self.part = nn.Embedding(BERT_VOCABULARY, wide), nn.Embedding(512, wide), None
        if parts:
            self.part = nn.Embedding(2, wide)
        self.norm, self.drop = nn.LayerNorm(wide, 1e-12), nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer(wide, heads) for _ in range(layers))
        self.head = nn.Linear(wide, 2)

    def forward(self, x):
        """x: samples by (tokens, parts) by places; token 0 is padding."""
        tokens, parts = x[:, 0], x[:, 1]
        place = torch.arange(tokens.shape[1], device=x.device)
        h = self.word(tokens) + self.place(place)
        h = self.drop(self.norm(h if self.part is None else h + self.part(parts)))
        mask = (tokens == 0)[:, None, None, :].to(h.dtype) * -1e4
        for layer in self.layers:
            h = layer(h, mask)
        return self.head(h)


def BERTTiny():
    """BERT-Tiny: 2 layers, 4.37 million parameters."""
    return BERT(128, 2, 2)


def DistilBERT():
    """distilBERT: 6 layers, 66.4 million parameters."""
    return BERT(768, 6, 12, False)


def span_loss(out, target):
    """target: samples by (start, end)."""
    return (F.cross_entropy(out[..., 0], target[:, 0]) + F.cross_entropy(out[..., 1], target[:, 1])) / 2


class LSTM(nn.Module):
    """Two layers, input and output words tied: 8.62 million parameters."""

    def __init__(self, words=LSTM_VOCABULARY, wide=232):
        super().__init__()
        self.word, self.body = nn.Embedding(words, wide), nn.LSTM(wide, wide, 2, batch_first=True, dropout=0.2)
        self.head = nn.Linear(wide, words)
        self.head.weight = self.word.weight

    def forward(self, x):
        return self.head(self.body(self.word(x))[0])


def next_word_loss(out, target):
    return F.cross_entropy(out.flatten(0, 1), target.flatten())
