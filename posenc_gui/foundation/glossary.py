"""The words of the field as the explorer uses them, each in one sentence or two."""

from __future__ import annotations

from typing import Final

GLOSSARY: Final = {
    "Token": "A piece of the text that the model reads as one: a word, a character, a byte, or a part of a word.",
    "Position": "The place of a token in the sequence, counted from 0.",
    "Offset": "How far a key stands before its query: m − n for a query at position m and a key at position n.",
    "Positional encoding": "What tells attention where tokens stand. Without one, and without a mask, it sees "
    "them as a set in which a token may stand more than once.",
    "Query": "The vector by which a token asks: W_q times its input. The rows of an attention map.",
    "Key": "The vector by which a token is found: W_k times its input. The columns of an attention map.",
    "Value": "The vector that a token hands on to those that attend to it: W_v times its input.",
    "Head": "One of several attentions side by side, each with queries, keys and values of its own, of d_head numbers.",
    "d_model": "How many numbers a token's vector has.",
    "Logits, or scores": "Dot products of queries and keys, scaled, with what the encoding adds, before mask and softmax.",
    "Softmax": "Turns the scores of a row into weights: each is exp(score), divided by the sum over all keys in sight.",
    "Weight": "Which share of a query's attention goes to a key. The weights of a row add up to 1.",
    "Causal mask": "Lets a query see only keys at its own place or before it, as when text is generated.",
    "Door": "Where position enters attention: at the input, added to the tokens' vectors; by rotation, turning queries and "
    "keys; or at the score, added to it. Each encoding goes through one of the three, “No encoding” through none; Shaw's "
    "adds to the values, too.",
    "Absolute, relative": "Absolute encodings tell where a token stands, relative ones how far it stands from another.",
    "Signature": "What an encoding gives to one position, or to one offset at the score door, as numbers that can be "
    "compared. The requirements are judged by signatures.",
    "Twins": "Tokens that are the same: without position and without a mask, attention gives both the same. They are "
    "underlined.",
    "Frequency": "By how much a wave or a hand goes on from one position to the next, in radians.",
    "Pair": "Two dimensions that belong together: sine and cosine of one wave, or the plane in which RoPE turns.",
    "Equivariance": "Whoever reorders the tokens reorders the outputs and changes nothing else: attention without "
    "position and without a mask.",
    "Extrapolation": "Going on past the positions that were seen in training.",
    "Toy model": "A small layer whose weights are drawn by a seed: it shows what an encoding does, not what is learned.",
}
