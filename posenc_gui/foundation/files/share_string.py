"""Share strings: a session as one word that survives chats, mails and hand-outs.

    posenc1 … 0 …        mark with version, compressed session file, separator, checksum of seven letters

It consists of lower-case letters and digits only, so that a double click selects it, line breaks, quotation marks and
typographic changes can be recognized and dropped, and it can be typed from paper. 0, 1, 8 and 9 are not among the 32
letters, so the separator is unambiguous (an idea of bech32, Wuille and Maxwell 2017, BIP 173).
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from itertools import islice

from posenc_gui.foundation.wording import format_bytes, quote

MARK = "posenc1"

_CHECKED = 7  # letters of the checksum
_MOST_TRIED = 10  # share strings in one text, of which the first whole one counts
_LETTERS = "[a-z2-7]"  # RFC 4648's base 32, in lower case
_WHOLE = re.compile(rf"{MARK}({_LETTERS}*)0({_LETTERS}{{{_CHECKED}}})")
_NEWER = re.compile(r"posenc[2-9]")
_UNSEEN = re.compile(r"[^A-Za-z0-9]+")
_AROUND = " \t\r\n\"'`<>()[]*_“”„‘’«»"  # characters allowed around one, or before its lines
_RAW = -zlib.MAX_WBITS  # deflate without header and checksum

# A compression dictionary of what sessions often contain. It is part of the format: never change it under this mark.
_OFTEN = (
    b'"one_hot","integer","normalized","learned","sinusoidal","rope","shaw","t5","alibi","none","xpos","pope","axial","mrope",'
    b'"transformer_xl","deberta","kerple","sandwich","fire","cope","fox","inkling","fourier","binary","divisor":"last",'
    b'"layout":"concatenated","layout":"cosine_first","spacing":"tensor2tensor","max_len":256,"max_distance":64,"buckets":16,'
    b'"bidirectional":false,"value_term":false,"bias_max":4.0,"pairing":"interleaved","fraction":0.5,"scaling":{"rope_type":'
    b'"linear","dynamic","yarn","longrope","llama3","factor":4.0,"original_max_position_embeddings":8192}},'
    b'"tokenizer":"characters","tokenizer":"bytes","tokenizer.json","keep_case":true,"order":[5,4,3,2,1,0],"focus":0,"key":1,'
    b'"plots":{"attention":{"quantity":"scores","quantity":"position","queries":"one","head":0},"waves":{"first":0,"count":32,'
    b'"curves":[0,1]},"encoding":{"count":64},"dials":{"position":1.0,"trail":3.0,"pairs":[0,1]},"angles":{"comparison":{"show":'
    b'"similarity":{"show":"cosine","head":1},"equivariance":{"show":"frequencies":{"context":4096},"kernel":{"generation":{'
    b'"linear_shift":{"offset":1},"meaning":{"other":"the man bit the dog"},"projections":{"turned":false},"row":{"shift":{"why"'
    b":{"
    b'"model":{"d_model":64,"n_heads":1,"d_head":8,"causal":true,"scale":0.5,"embedding_scale":0.0,"projections":"identity",'
    b'"n_layers":2,"vectors":[["cat",[1.0,0.0]],["dog",[0.0,1.0]]],"seed":1}'
    b'"text":"dog bites man","text":"man bites dog","text":"the cat sat on the mat","text":"The cat sat","text":"The ","'
    b'"encoding":{"name":"sinusoidal","encoding":{"name":"alibi"},"encoding":{"name":"rope","base":500000.0}}'
    b'"model":{"d_model":16,"n_heads":1,"seed":334}}}{"format":"posenc-gui session","version":2,"written_by":"0.1.0",'
    b'"session":{"text":"'
)


def encode_share_string(text: str) -> str:
    """Encode a text as a share string: one word of lower-case letters and digits."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, _RAW, zdict=_OFTEN)
    data = squeeze.compress(text.encode("utf-8")) + squeeze.flush()
    return f"{MARK}{_lettered(data)}0{_checksum(data)}"


def decode_share_string(text: str, most: int) -> bytes:
    """Decode a text's first complete share string, of at most `most` bytes of content, whatever stands around it and whatever
    line breaks or quotation marks within. Raises ValueError with a message of one sentence."""
    if len(text) > 2 * most:
        raise ValueError(f"this is not a share string: it is longer than {2 * most:,} letters.")
    joined = _UNSEEN.sub("", text).lower()
    whole = list(islice(_WHOLE.finditer(joined), _MOST_TRIED))
    if not whole:
        raise ValueError(_why_none(joined))
    data = next((data for one in whole if _checksum(data := _bytes_of(one[1])) == one[2]), None)
    if data is None:
        raise ValueError("this share string is damaged: a letter was lost or changed. Copy it again.")
    expand = zlib.decompressobj(_RAW, zdict=_OFTEN)
    try:
        content = expand.decompress(data, most + 1)
    except zlib.error:
        raise ValueError("this share string has no readable content.") from None
    if len(content) > most:
        raise ValueError(f"this share string holds more than {format_bytes(most)}, too much for a session.")
    return content


def is_share_string(text: str) -> bool:
    """Return True if a text consists of a share string, complete or not, and nothing else."""
    word = "".join(line.strip(_AROUND) for line in text.strip(_AROUND).splitlines())
    return word.lower().startswith(MARK) and word.isascii() and word.isalnum() and len(word) > len(MARK) + _CHECKED


def _why_none(joined: str) -> str:
    if MARK in joined:
        return f"this share string is cut short: copy all of it, from {quote(MARK)} to its last letter."
    other = _NEWER.search(joined)
    if other:
        begins = quote(other[0])
        return f"this share string is from a newer explorer: it begins with {begins}, and this one reads {quote(MARK)}."
    return f"this is not a share string, which would begin with {quote(MARK)}."


def _lettered(data: bytes) -> str:
    return base64.b32encode(data).decode("ascii").rstrip("=").lower()


def _bytes_of(letters: str) -> bytes:
    """Decode base-32 letters; return empty bytes if there is a wrong number of letters."""
    try:
        return base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))
    except binascii.Error:
        return b""


def _checksum(data: bytes) -> str:
    return _lettered(zlib.crc32(data).to_bytes(4, "big"))
