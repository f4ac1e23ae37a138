"""Texts: SQuAD for BERT, Wikitext for the LSTM."""
import collections
import json
import os
import re
import zlib

import torch
from torch.utils.data import Dataset

from fault import Fault
from text import BERT_TOKENS, BERT_VOCABULARY, LSTM_TOKENS, LSTM_VOCABULARY

CLS, SEP = 101, 102
PIECES = re.compile(r"\w+|[^\w\s]")


def span_sample(tokens, question, start, end):
    """Tokens after CLS, padded, with the part each belongs to; start and end
    of the answer are places in it, 0 for none."""
    body = torch.cat((torch.tensor([CLS]), tokens))[:BERT_TOKENS - 1]
    x = torch.zeros(2, BERT_TOKENS, dtype=torch.int64)
    x[0, :len(body)] = body
    x[0, len(body)] = SEP
    x[1, question:len(body) + 1] = 1
    return x, torch.tensor((start, end) if end < len(body) else (0, 0))


def word_sample(tokens):
    return tokens[:-1], tokens[1:]


def find(folder, fits, what):
    for at, _, files in os.walk(folder):
        for f in sorted(files):
            if fits(f):
                return os.path.join(at, f)
    raise Fault("%s: no %s here or below" % (folder, what))


class Spans(Dataset):
    """SQuAD's train-*.json. Words become BERT's own pieces where vocab.txt lies
    beside it; else numbers by a hash, which changes no time on the GPU."""

    def __init__(self, folder):
        path = find(folder, lambda f: f.startswith("train") and f.endswith(".json"), "train-v2.0.json")
        self.files, self.rows, self.words = [path], [], self.vocabulary(os.path.dirname(path))
        try:
            with open(path, encoding="utf-8") as f:
                articles = json.load(f)["data"]
            for paragraph in (p for a in articles for p in a["paragraphs"]):
                for q in paragraph["qas"]:
                    answer = q["answers"][0] if q.get("answers") else None
                    self.rows.append((paragraph["context"], q["question"], answer))
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise Fault("%s is no SQuAD file: %r" % (path, e))

    @staticmethod
    def vocabulary(folder):
        path = os.path.join(folder, "vocab.txt")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as f:
            return {w.rstrip("\n"): i for i, w in enumerate(f)}

    def number(self, word):
        """The tokens of a word: greedy longest pieces."""
        if self.words is None:
            return [1000 + zlib.crc32(word.encode()) % (BERT_VOCABULARY - 1000)]
        out, at = [], 0
        while at < len(word):
            for end in range(len(word), at, -1):
                piece = ("##" if at else "") + word[at:end]
                if piece in self.words:
                    out.append(self.words[piece])
                    at = end
                    break
            else:
                return [self.words.get("[UNK]", 100)]
        return out

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        context, question, answer = self.rows[i]
        tokens = [t for w in PIECES.findall(question.lower()) for t in self.number(w)][:64] + [SEP]
        part, start, end = len(tokens) + 1, 0, 0
        from_, to = (answer["answer_start"], answer["answer_start"] + len(answer["text"])) if answer else (-1, -1)
        for m in PIECES.finditer(context.lower()):
            place = len(tokens) + 1
            tokens += self.number(m.group())
            if from_ <= m.start() < to:
                start, end = start or place, len(tokens)
        return span_sample(torch.tensor(tokens), part, start, end)


class Words(Dataset):
    """The lines of wiki.train.tokens that are text, as one stream of words cut
    into samples."""

    def __init__(self, folder):
        path = find(folder, lambda f: "train" in f and f.endswith((".tokens", ".raw", ".txt")), "wiki.train.tokens")
        self.files = [path]
        try:
            with open(path, encoding="utf-8") as f:
                stream = [w for line in f if line.strip() for w in line.split() + ["<eos>"]]
        except (OSError, ValueError) as e:
            raise Fault("%s: %s" % (path, e))
        if len(stream) <= LSTM_TOKENS:
            raise Fault("%s: %d words, want more than %d" % (path, len(stream), LSTM_TOKENS))
        common = collections.Counter(stream).most_common(LSTM_VOCABULARY - 1)
        numbers = {w: i + 1 for i, (w, _) in enumerate(common)}
        self.stream = torch.tensor([numbers.get(w, 0) for w in stream])

    def __len__(self):
        return (len(self.stream) - 1) // LSTM_TOKENS

    def __getitem__(self, i):
        return word_sample(self.stream[i * LSTM_TOKENS:(i + 1) * LSTM_TOKENS + 1])
