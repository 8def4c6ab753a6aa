"""The field's terms as the explorer uses them, each in one or two sentences."""

from __future__ import annotations

from typing import Final

GLOSSARY: Final = {
    "Token": "A piece of the text that the model reads as one: a word, a character, a byte, or a part of a word.",
    "Position": "The place of a token in the sequence, counted from 0.",
    "Offset": "How far a key is before its query: m − n for a query at position m and a key at position n.",
    "Positional encoding": "Tells attention where tokens stand. Without one, and without a mask, attention sees "
    "them as a set in which a token may occur more than once.",
    "Query": "The vector by which a token asks: W_q times its input. The rows of an attention map.",
    "Key": "The vector by which a token is found: W_k times its input. The columns of an attention map.",
    "Value": "The vector that a token passes on to those that attend to it: W_v times its input.",
    "Head": "One of several parallel attentions, each with queries, keys and values of its own, of d_head dimensions.",
    "d_model": "The number of dimensions of a token's vector.",
    "Logits, or scores": "Dot products of queries and keys, scaled, with what the encoding adds, before mask and softmax.",
    "Softmax": "Turns the scores of a row into weights: each is exp(score), divided by the sum over all visible keys.",
    "Weight": "The share of a query's attention that goes to a key. The weights of a row add up to 1.",
    "Causal mask": "Lets a query see only keys at its own position or before it, as in text generation.",
    "Door": "Where position enters attention: at the input, added to the tokens' vectors; by rotation, turning queries and "
    "keys; or at the score, added to it. Each encoding goes through one of the three, “No encoding” through none; Shaw's "
    "adds to the values, too.",
    "Absolute, relative": "Absolute encodings tell where a token stands, relative ones how far it stands from another.",
    "Signature": "What an encoding gives to one position, or to one offset at the score door, as a vector that can be "
    "compared with others. The requirements are judged by signatures.",
    "Twins": "Equal tokens in different places: without position and without a mask, attention gives them the same output. "
    "They are underlined.",
    "Frequency": "The angle by which a wave or a clock hand advances from one position to the next, in radians.",
    "Pair": "Two dimensions that belong together: sine and cosine of one wave, or the plane in which RoPE turns.",
    "Equivariance": "Reordering the tokens reorders the outputs and changes nothing else, as in attention without "
    "position and without a mask.",
    "Extrapolation": "Going beyond the positions seen in training.",
    "Generalizable": "What courses ask of an encoding: that it works at lengths not seen in training. Two parts of that are "
    "measured here: there are values, and none of them is new. Right answers there take training.",
    "Toy model": "A small model with weights drawn by a seed: it shows what an encoding does, not what is learned.",
    "Trace of a change": "What is left for a second after a change: a corner of each changed cell keeps its former colour, "
    "slopes and clock hands keep a pale copy, and the headline writes former numbers first, as in 0.23 → 0.43.",
}
