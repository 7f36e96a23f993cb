"""Writes seal/vectors/vectors.json of this repository. Deterministic: every input comes from one seed string.

usage: make_vectors.py [OUT]
"""

import json
import pathlib
import sys

from devpilot_ref import *  # noqa: F401,F403


class Rng:
    """Deterministic bytes for test inputs. Never use for real keys."""

    def __init__(self, seed):
        self.seed, self.n = seed.encode(), 0

    def bytes(self, n):
        out = b""
        while len(out) < n:
            out += sha256(self.seed + u64(self.n))
            self.n += 1
        return out[:n]

    def int(self, lo, hi):
        return lo + int.from_bytes(self.bytes(8), "big") % (hi - lo + 1)


RFC8032 = [  # section 7.1, tests 1 to 3: seed, verification key, message, signature
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
]
RFC9180_PSK = {  # RFC 9180 A.2.2, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20Poly1305
    "info": "4f6465206f6e2061204772656369616e2055726e",
    "skRm": "77d114e0212be51cb1d76fa99dd41cfd4d0166b08caa09074430a6c59ef17879",
    "skEm": "0c35fdf49df7aa01cd330049332c40411ebba36e0c718ebc3edf5845795f6321",
    "pkRm": "13640af826b722fc04feaa4de2f28fbd5ecc03623b317834e7ff4120dbe73062",
    "psk": "0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82",
    "psk_id": "456e6e796e20447572696e206172616e204d6f726961",
    "enc": "2261299c3f40a9afc133b969a97f05e95be2c514e54f3de26cbe5644ac735b04",
    "aad": "436f756e742d30",
    "pt": "4265617574792069732074727574682c20747275746820626561757479",
    "ct": "4a177f9c0d6f15cfdf533fb65bf84aecdc6ab16b8b85b4cf65a370e07fc1d78d28fb073214525276f4a89608ff",
}

PUBLIC_TEXTS = {
    "origin": "https://plane.example",
    "origin_port": "https://devpilot.example.org:8443",
    "note": "Hi Sam, here is the session we spoke about.\n\n  {}\n\nTreat it like a password. Thanks!",
    "messages": [
        '{"kind":"chat","text":"The migration fails on the second run: duplicate key in 0042."}',
        '{"kind":"chat","text":"Seen. I will take db/migrate, leave the handlers to you."}',
        '{"kind":"claim","paths":["db/migrate/"],"ttl_s":1800}',
        '{"kind":"chat","text":"Grüße, 完了 ✅ — done"}',
        '{"kind":"chat","text":""}',
    ],
    "title": '{"title":"Fix the 0042 migration"}',
    "goal": '{"goal":"All migrations run twice without an error"}',
    "names": ["Alice (laptop)", "Bob", "Carol — viewer", "Dave"],
    "notice": '{"event":"mode_changed","from":"auto","to":"observe","cause":"budget_spent","spent":20,"budget":20}',
    "files": [b"", b"fn main() {}\n", 300, 65536, 1048576, 1048577, 3000000],
    "wrap": 60,
    "cut": 40,
    "flip": 9,
}


def H(b):
    return b.hex()


def swap_char(s, i):
    return s[:i] + B32[(B32.index(s[i]) + 1) % 32] + s[i + 1 :]


def flip_bit(b, i):
    return b[:i] + bytes([b[i] ^ 1]) + b[i + 1 :]


def error_of(f, *a):
    try:
        f(*a)
    except DPError as e:
        return e.code
    raise AssertionError("expected a failure")


def uuid4(r):
    b = bytearray(r.bytes(16))
    b[6], b[8] = b[6] & 0x0F | 0x40, b[8] & 0x3F | 0x80
    return bytes(b)


class Party:
    """A participant with its keys."""

    def __init__(self, r, sid):
        self.sid, self.sk, self.seed = sid, r.bytes(32), r.bytes(32)
        self.pk, self.vk = x25519_public(self.sk), verification_key(self.seed)
        self.pid = participant_id(sid, self.pk, self.vk)

    def profile(self, text, certificate=None, **over):
        v = {"name": text, "pk": b64u(self.pk), "vk": b64u(self.vk), "cert": certificate and b64u(certificate), **over}
        return json.dumps({k: x for k, x in v.items() if x is not None}, ensure_ascii=False, separators=(",", ":"))


def v_encoding(r, _):
    return {
        "base32": [{"hex": H(b), "text": b32(b)} for b in (bytes(40), b"\xff" * 40, r.bytes(40))],
        "base64url": [{"hex": H(b), "text": b64u(b)} for b in (b"", b"\xfb", r.bytes(2), r.bytes(32))],
        "base64url_bad": ["A", "AA==", "AB", "A+A/", "AAAA\n", "AAB"],
        "uuid": [{"hex": H(b), "text": uuid_text(b)} for b in (uuid4(r), r.bytes(16))],
        "uuid_bad": ["0" * 32, "A0000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-00000000000"],
    }


def v_link(r, t):
    sid, secret, epoch = uuid4(r), r.bytes(32), r.int(1, 9)
    o, op = t["origin"], t["origin_port"]
    L = format_link(o, FULL, sid, epoch, secret)
    view = view_secret(sid, epoch, secret)
    LV = format_link(o, VIEW, sid, epoch, view)
    hyphened = L.replace(sid.hex(), uuid_text(sid))
    mid = len(L) - 30
    path, frag = L.split("#")
    pct = "".join(c if c.isalnum() else "%%%02X" % ord(c) for c in L)
    w = t["wrap"]
    ok = {
        "plain": L,
        "upper case token": path + "#" + frag.upper(),
        "upper case everything": L.upper(),
        "prose around": t["note"].format(L),
        "trailing full stop": L + ".",
        "trailing bracket and comma": "(" + L + "),",
        "angle brackets": "<" + L + ">",
        "slack link with label": "<" + L + "|" + L + ">",
        "markdown": "[join](" + L + ")",
        "bold markdown": "**" + L + "**",
        "quotes": "\u201c" + L + "\u201d",
        "line wrap": L[:w] + "\n" + L[w:],
        "line wrap crlf indented": L[:w] + "\r\n    " + L[w:],
        "line wrap in the path": L[:30] + "\n" + L[30:],
        "quoted reply": "> " + L[:w] + "\n> " + L[w:],
        "nested quoted reply": ">> " + L[:w] + "\n>> " + L[w : w + 25] + "\n>> " + L[w + 25 :],
        "quoted-printable soft break": L[:w] + "=\r\n" + L[w:],
        "shell continuation": L[:w] + "\\\n" + L[w:],
        "zero width space": L[:mid] + "\u200b" + L[mid:],
        "word joiner and bom": "\ufeff" + L[:mid] + "\u2060" + L[mid:],
        "soft hyphen": L[:mid] + "\u00ad" + L[mid:],
        "bidi isolate": "\u2066" + L + "\u2069",
        "no-break space": L[:mid] + "\u00a0" + L[mid:],
        "percent-encoded hash": L.replace("#", "%23"),
        "percent-encoded wholly": pct,
        "percent-encoded twice": pct.replace("%", "%25"),
        "percent-encoded zero width space": L[:mid] + "%E2%80%8B" + L[mid:],
        "percent-encoded line break": L[:mid] + "%0D%0A" + L[mid:],
        "link rewriter": "https://safelinks.example/?url=" + pct + "&data=05%7C02&reserved=0",
        "json escaped": '{"link":"' + L.replace("/", "\\/") + '"}',
        "tracking query": path + "?utm_source=chat#" + frag,
        "slash before fragment": path + "/#" + frag,
        "junk appended to fragment": L + "&utm_source=chat",
        "letters appended to fragment": L + "abc",
        "same link twice": L + "\n" + L,
        "second link damaged": L + "\n" + L[:-8],
    }
    out = {"ok": [], "bad": [], "format": [], "redact": []}
    ok["session id with hyphens"] = hyphened
    ok["hyphens turned into dashes"] = hyphened.replace("-", "\u2013")
    ok["hyphens turned into no-break hyphens"] = hyphened.replace("-", "\u2011")
    want = dict(origin=o, kind=FULL, session=H(sid), epoch=epoch, secret=H(secret))
    out["ok"].append({"name": "view link", "text": LV, **want, "kind": VIEW, "secret": H(view)})
    for name, text in ok.items():
        out["ok"].append({"name": name, "text": text, **want})
    for org in (op, "http://localhost:8080", "http://127.0.0.1", "http://[::1]:3000"):
        s2, k2, e2, kd = uuid4(r), r.bytes(32), r.int(1, 2**32 - 1), (FULL, VIEW)[r.int(0, 1)]
        text = format_link(org, kd, s2, e2, k2)
        row = dict(origin=org, kind=kd, session=H(s2), epoch=e2, secret=H(k2))
        out["format"].append({**row, "text": text})
        out["ok"].append({"name": "origin " + org, "text": text, **row})
    out["format"].append({**want, "text": L})
    out["format"].append({**want, "kind": VIEW, "secret": H(view), "text": LV})
    other = format_link(o, FULL, sid, epoch, r.bytes(32))
    c = t["cut"]
    bad = {
        "empty": ("", "link_missing"),
        "no link": ("please join my session", "link_missing"),
        "another url": ("https://plane.example/docs#dpi", "link_missing"),
        "fragment lost": (path, "link_no_key"),
        "fragment empty": (path + "#", "link_no_key"),
        "other fragment": (path + "#top", "link_no_key"),
        "session path of another site": ("https://chat.example/s/abc", "link_truncated"),
        "cut in the token": (L[:-c], "link_truncated"),
        "cut by one": (L[:-1], "link_truncated"),
        "cut with ellipsis": (L[:-c] + "\u2026", "link_truncated"),
        "cut then prose": (L[:-c] + " (0 more)", "link_truncated"),
        "cut after tag": (path + "#dp1", "link_truncated"),
        "cut in the session id": (L[: len(o) + 3 + 12] + "\u2026", "link_truncated"),
        "typo in the secret": (swap_char(L, len(L) - c), "link_checksum"),
        "typo in the checksum": (swap_char(L, len(L) - 1), "link_checksum"),
        "typo in the session id": (L.replace(sid.hex(), flip_bit(sid, t["flip"]).hex()), "link_checksum"),
        "session id too long": (L.replace("#", "0#"), "link_truncated"),
        "view tag on a full secret": (L.replace("#dp1f", "#dp1v"), "link_checksum"),
        "unknown link kind": (L.replace("#dp1f", "#dp1x"), "link_version"),
        "full and view link": (L + " " + LV, "link_ambiguous"),
        "two characters swapped": (
            L[: mid] + L[mid + 1] + L[mid] + L[mid + 2 :] if L[mid] != L[mid + 1] else swap_char(L, mid),
            "link_checksum",
        ),
        "symbol outside the alphabet": (L[:mid] + "0" + L[mid + 1 :], "link_truncated"),
        "cut then letters": (L[:-c] + " " + "please join " * 8, "link_checksum"),
        "newer version": (path + "#dp2" + frag[3:], "link_version"),
        "two different links": (L + "\n" + other, "link_ambiguous"),
        "http": (format_link("http://plane.example", FULL, sid, epoch, secret), "link_insecure"),
        "epoch zero": (format_link(o, FULL, sid, 0, secret), "link_epoch"),
        "too long": (L + " " * 65536, "input_too_long"),
    }
    for name, (text, code) in bad.items():
        row = {"name": name, "error": code}
        if name == "too long":
            row.update(text=L, append_spaces=65536)
        else:
            row["text"] = text
        assert error_of(parse_link, text) == code, name
        out["bad"].append(row)
    for text in (L, "key is " + frag[:40] + " ok", "see dp1 and dp1fabc", L.upper(), LV):
        out["redact"].append({"text": text, "out": redact(text)})
    return out


def v_keys(r, _):
    rows = []
    for epoch in (1, 2, 2**32 - 1):
        sid, secret = uuid4(r), r.bytes(32)
        k = epoch_keys(sid, epoch, secret)
        rows.append(
            {
                "session": H(sid),
                "epoch": epoch,
                "full_secret": H(secret),
                "salt": H(sid + u32(epoch)),
                **{n: H(b) for n, b in k.items()},
                "full_link_check": H(link_check(FULL, sid, epoch, secret)),
                "view_link_check": H(link_check(VIEW, sid, epoch, k["view_secret"])),
                "transcript_start": H(chain_start(sid)),
            }
        )
    parts = []
    for epoch in (1, 2, 2**32 - 1):
        sid = uuid4(r)
        p = Party(r, sid)
        sk, pk, pid = p.sk, p.pk, p.pid
        rj, k = rejoin_secret(sid, sk), epoch_keys(sid, epoch, r.bytes(32))
        parts.append(
            {
                "session": H(sid),
                "private_key": H(sk),
                "public_key": H(pk),
                "signing_seed": H(p.seed),
                "verification_key": H(p.vk),
                "participant": H(pid),
                "participant_text": uuid_text(pid),
                "rejoin": H(rj),
                "rejoin_verifier": H(sha256(rj)),
                "epoch": epoch,
                "posting_seed": H(k["posting_seed"]),
                "certificate_text": H(certificate_text(sid, epoch, pid)),
                "certificate": H(make_certificate(sid, epoch, pid, k["posting_seed"])),
            }
        )
    return {"epoch": rows, "participant": parts}


def v_padding(r, _):
    ns = [0, 1, 4, 256, 511, 512, 513, 528, 544, 545, 1000, 1023, 1024, 1025, 1057, 4096, 4097]
    ns += [9999, 65535, 65536, 65537, 100000, 131073, 250000, 253953, 258048]
    ns += sorted(r.int(513, 258048) for _ in range(8)) + [1048577, 67108863, 67108864]
    return [{"len": n, "padded": pad_len(n)} for n in ns]


def v_signature(r, _):
    out = []

    def row(name, ok, vk, message, signature):
        assert verify(vk, signature, message) == ok, name
        out.append({"name": name, "verification_key": H(vk), "message": H(message), "signature": H(signature), "valid": ok})

    def scalar():
        return int.from_bytes(r.bytes(64), "little") % ED_L

    def le(n):
        return n.to_bytes(32, "little")

    for i, (seed, vk, m, sig) in enumerate(RFC8032):
        seed, vk, m, sig = (bytes.fromhex(x) for x in (seed, vk, m, sig))
        assert verification_key(seed) == vk and sign(seed, m) == sig
        row(f"rfc 8032 test {i + 1}", True, vk, m, sig)
    seed, m = r.bytes(32), r.bytes(40)
    vk, sig = verification_key(seed), sign(seed, m)
    s = int.from_bytes(sig[32:], "little")
    row("good", True, vk, m, sig)
    row("message changed", False, vk, flip_bit(m, 3), sig)
    row("message longer", False, vk, m + b"\0", sig)
    row("R changed", False, vk, m, flip_bit(sig, 7))
    row("S changed", False, vk, m, flip_bit(sig, 40))
    row("another key", False, verification_key(r.bytes(32)), m, sig)
    row("all zero", False, vk, m, bytes(64))
    row("cut", False, vk, m, sig[:63])
    row("trailing byte", False, vk, m, sig + b"\0")
    row("S plus L", False, vk, m, sig[:32] + le(s + ED_L))
    row("S equal to L", False, vk, m, sig[:32] + le(ED_L))
    row("top bit of S", False, vk, m, sig[:63] + bytes([sig[63] | 0x80]))

    # From here on by a signer who knows a and chooses key, R and S freely.
    while True:  # a point of order 8
        p = ed_decode(r.bytes(32))
        t8 = p and ed_mul(ED_L, p)
        if t8 and ed_encode(ed_mul(4, t8)) != ed_encode(ED_NEUTRAL):
            break
    zero, a = ed_encode(ED_NEUTRAL), scalar()
    A = ed_mul(a, ED_B)

    def craft(name, key_point, want, r_torsion=0, vk=None, r_bytes=None, nonce=None, ok=False):
        """Searches a message for which want(k) holds, k the challenge. S = nonce + k a."""
        vk = vk or ed_encode(key_point)
        while True:
            n = scalar() if nonce is None else nonce
            R = r_bytes or ed_encode(ed_add(ed_mul(n, ED_B), ed_mul(r_torsion, t8)))
            m = r.bytes(24)
            k = ed_challenge(R, vk, m)
            if want(k):
                return row(name, ok, vk, m, R + le((n + k * a) % ED_L))

    craft("crafted as by the rules", A, lambda k: True, ok=True)
    for i in (1, 4, 2):
        mixed = ed_add(A, ed_mul(i, t8))
        craft(f"key with a part of order {8 // i}, equation holds", mixed, lambda k: k % 8 == 0)
        craft(f"key with a part of order {8 // i}, equation holds times 8 only", mixed, lambda k: k % 8 == 1)
    craft("R with a part of small order", A, lambda k: True, r_torsion=3)
    craft("key and R with parts of small order that cancel", ed_add(A, t8), lambda k: k % 8 == 5, r_torsion=3)
    craft("R neutral", A, lambda k: True, nonce=0)
    craft("R neutral, not canonical", A, lambda k: True, nonce=0, r_bytes=le(ED_P + 1))
    craft("R neutral, sign bit", A, lambda k: True, nonce=0, r_bytes=zero[:31] + b"\x80")
    a = 0  # small-order keys: S is the nonce, and the equation holds when 8 divides k
    for i in range(8):
        craft(f"key of small order {i}", ed_mul(i, t8), lambda k: k % 8 == 0)
    craft("key neutral, R of small order", ED_NEUTRAL, lambda k: True, r_torsion=1, nonce=0)
    craft("key neutral, not canonical", None, lambda k: True, vk=le(ED_P + 1))
    craft("key neutral, sign bit", None, lambda k: True, vk=zero[:31] + b"\x80")
    craft("key of order 2, sign bit", None, lambda k: k % 2 == 0, vk=le(ED_P - 1 | 1 << 255))
    craft("key of order 4, not canonical", None, lambda k: k % 4 == 0, vk=le(ED_P))
    y = next(y for y in range(2, 30) if ed_decode(le(y)) is None)
    row("key not on the curve", False, le(y), m, sig)
    y = next(y for y in range(2, 19) if ed_decode(le(y)))
    row("key on the curve, not canonical", False, le(ED_P + y), m, sig)
    return out


def v_sealed(r, t):
    sid, secret, epoch = uuid4(r), r.bytes(32), r.int(1, 5)
    keys = epoch_keys(sid, epoch, secret)
    key, posting = keys["content_key"], keys["posting_key"]
    me, other = Party(r, sid), Party(r, sid)
    pid = me.pid
    cert = make_certificate(sid, epoch, pid, keys["posting_seed"])
    out = {"good": [], "bad": []}
    base = dict(content_key=H(key), session=H(sid), epoch=epoch, participant=H(pid), posting_key=H(posting))
    writer = dict(verification_key=H(me.vk), certificate=H(cert))

    def good(name, kind, item, rest, **extra):
        nonce = r.bytes(24)
        blob = seal(key, kind, sid, epoch, pid, item, rest, nonce, me.seed)
        row = {"name": name, **base, **(writer if kind != PROFILE else {}), "kind": kind, "item": H(item),
               "nonce": H(nonce), "signing_seed": H(me.seed), **extra}
        ad = aad(kind, sid, epoch, pid, item)
        row.update(aad=H(ad), signature=H(sign(me.seed, signed_text(ad, rest))), blob=H(blob))
        out["good"].append(row)
        return blob

    def good_message(name, head, text):
        item = uuid4(r)
        content = message_content(*head, text)
        return item, content, good(name, MESSAGE, item, content, head_seq=head[0], head_hash=H(head[1]), json=text)

    for i, text in enumerate(t["messages"]):
        head = (0, chain_start(sid)) if i == 0 else (r.int(1, 10**6), r.bytes(32))
        m = good_message(f"message {i}", head, text)
        if i == 0:
            item, content, blob = m
    for n in (512, 513, 1025, 5000):  # framed length at bucket edges
        text = '{"kind":"chat","text":"' + "x" * (n - 108 - 25) + '"}'
        good_message(f"framed length {n}", (r.int(1, 10**6), r.bytes(32)), text)
    good("title", TITLE, NO_ID, t["title"].encode(), json=t["title"])
    goal_id = uuid4(r)
    goal_blob = good("goal", GOAL, goal_id, t["goal"].encode(), json=t["goal"])
    wrong_cert = make_certificate(sid, epoch, other.pid, keys["posting_seed"])
    view_seed = posting_seed(sid, epoch, keys["view_secret"])  # the best a view holder can do
    next_seed = posting_seed(sid, epoch + 1, secret)
    same_key_next = make_certificate(sid, epoch + 1, pid, keys["posting_seed"])
    own_cert = make_certificate(sid, epoch, pid, me.seed)
    certs = {
        "none": None,
        "by a view holder": make_certificate(sid, epoch, pid, view_seed),
        "by the holder's own key": own_cert,
        "by the posting key of another epoch": make_certificate(sid, epoch, pid, next_seed),
        "for another epoch": same_key_next,
        "for another session": make_certificate(flip_bit(sid, 0), epoch, pid, keys["posting_seed"]),
        "for another id": wrong_cert,
        "changed": flip_bit(cert, 20),
        "S plus L": cert[:32] + (int.from_bytes(cert[32:], "little") + ED_L).to_bytes(32, "little"),
    }

    def good_profile(name, text, may_write):
        return good(name, PROFILE, NO_ID, text.encode(), json=text, public_key=H(me.pk), verification_key=H(me.vk), may_write=may_write)

    profile_blob = good_profile("profile", me.profile(t["names"][0], cert), True)
    for name, c in certs.items():
        good_profile("profile, certificate " + name, me.profile(t["names"][1], c), False)

    def bad(name, code, b, kind=MESSAGE, item=item, **over):
        p = {**base, **(writer if kind != PROFILE else {}), **over}

        def x(h):
            return None if h is None else bytes.fromhex(h)

        k, s, e, pp, pk = x(p["content_key"]), x(p["session"]), p["epoch"], x(p["participant"]), x(p["posting_key"])
        who = kind != PROFILE and (x(p["verification_key"]), certified(s, e, pp, pk, x(p["certificate"])))
        opener = {
            MESSAGE: lambda: open_message(k, s, e, pp, item, b, who),
            TITLE: lambda: open_title(k, s, e, pp, b, who),
            GOAL: lambda: open_goal(k, s, e, pp, item, b, who),
            PROFILE: lambda: open_profile(k, s, e, pp, b, pk),
        }[kind]
        got = error_of(opener)
        assert got == code, (name, got, code)
        item_hex = H(item) if kind in (MESSAGE, GOAL) else H(NO_ID)
        row = {"name": name, **p, "kind": kind, "item": item_hex, "error": code}
        if len(b) > 5000:
            assert not any(b[1:])
            row.update(blob=H(b[:1]), append_zeros=len(b) - 1)
        else:
            row["blob"] = H(b)
        out["bad"].append(row)

    def raw(framed, kind=MESSAGE, pid=pid):
        n = r.bytes(24)
        return b"\x01" + n + xseal(key, n, aad(kind, sid, epoch, pid, item if kind == MESSAGE else NO_ID), framed)

    def signed(rest, kind=MESSAGE, seed=me.seed, pid=pid):
        """Properly signed and sealed, whatever it says."""
        n = item if kind == MESSAGE else NO_ID
        return seal(key, kind, sid, epoch, pid, n, rest, r.bytes(24), seed)

    def relabelled(**over):
        """Sealed for its place, but signed for another."""
        at = {"kind": MESSAGE, "sid": sid, "epoch": epoch, "pid": pid, "item": item, **over}
        return raw(frame(sign(me.seed, signed_text(aad(**at), content)) + content, 9999))

    bad("empty", "blob_truncated", b"")
    bad("format byte 2", "version_unknown", b"\x02" + blob[1:])
    bad("cut", "blob_truncated", blob[:200])
    bad("a byte under the least", "blob_truncated", blob[: BLOB_MIN - 1])
    bad("message over the limit", "too_large", b"\x01" + bytes(258089))
    bad("title over the limit", "too_large", b"\x01" + bytes(4009), TITLE)
    bad("one byte short", "auth_failed" if len(blob) > BLOB_MIN else "blob_truncated", blob[:-1])
    bad("one byte long", "auth_failed", blob + b"\0")
    bad("nonce changed", "auth_failed", flip_bit(blob, 5))
    bad("ciphertext changed", "auth_failed", flip_bit(blob, 60))
    bad("tag changed", "auth_failed", flip_bit(blob, len(blob) - 1))
    bad("other session", "auth_failed", blob, session=H(flip_bit(sid, 0)))
    bad("other epoch", "auth_failed", blob, epoch=epoch + 1)
    bad("other sender", "auth_failed", blob, participant=H(flip_bit(pid, 14)))
    bad("other message id", "auth_failed", blob, item=flip_bit(item, 15))
    bad("other proposal id", "auth_failed", goal_blob, GOAL, flip_bit(goal_id, 0))
    bad("other key", "auth_failed", blob, content_key=H(flip_bit(key, 31)))
    bad("message opened as title", "auth_failed", blob, TITLE)
    bad("profile opened as message", "auth_failed", profile_blob)
    f = frame(sign(me.seed, signed_text(aad(MESSAGE, sid, epoch, pid, item), content)) + content, FRAME_MAX[MESSAGE])
    bad("padding not zero", "bad_padding", raw(f[:-1] + b"\x01"))
    bad("one bucket too many", "bad_padding", raw(f + bytes(pad_len(len(f) + 1) - len(f))))
    bad("length beyond the frame", "bad_padding", raw(u32(len(f)) + f[4:]))

    sig = f[4:68]
    bad("signature changed", "bad_signature", raw(frame(flip_bit(sig, 9) + content, 9999)))
    bad("content changed under the signature", "bad_signature", raw(frame(sig + content[:-2] + b" }", 9999)))
    bad("signature with S plus L", "bad_signature", raw(frame(sig[:32] + (int.from_bytes(sig[32:], "little") + ED_L).to_bytes(32, "little") + content, 9999)))
    bad("no signature", "bad_signature", raw(frame(content, 9999)))
    bad("shorter than a signature", "bad_signature", raw(frame(sig[:63], 9999)))
    bad("shorter than a signature, author unknown", "bad_signature", raw(frame(sig[:63], 9999)), verification_key=None, certificate=None)
    bad("profile shorter than a signature", "bad_signature", raw(frame(sig[:63], 9999), PROFILE), PROFILE)
    bad("signed by another participant", "bad_signature", signed(content, seed=other.seed))
    bad("checked with another key", "bad_signature", blob, verification_key=H(other.vk))
    bad("checked with a key of small order", "bad_signature", raw(frame(b"\x01" + bytes(63) + content, 9999)), verification_key=H(ed_encode(ED_NEUTRAL)))
    bad("signed as a title", "bad_signature", relabelled(kind=TITLE))
    bad("signed for another epoch", "bad_signature", relabelled(epoch=epoch + 1))
    bad("signed for another session", "bad_signature", relabelled(sid=flip_bit(sid, 0)))
    bad("signed for another participant id", "bad_signature", relabelled(pid=other.pid))
    bad("signed for another message id", "bad_signature", relabelled(item=flip_bit(item, 15)))
    ad = aad(MESSAGE, sid, epoch, pid, item)
    bad("signed without the label", "bad_signature", raw(frame(sign(me.seed, ad + content) + content, 9999)))
    bad("signed with the padding", "bad_signature", raw(frame(sign(me.seed, signed_text(ad, content + bytes(len(f) - 68 - len(content)))) + content, 9999)))
    bad("author unknown", "author_unknown", blob, verification_key=None, certificate=None)
    for name, c in certs.items():
        bad("message, certificate " + name, "not_certified", blob, certificate=c and H(c))
    bad("title, certificate none", "not_certified", signed(b'{"title":"x"}', TITLE), TITLE, certificate=None)
    goal_certs = H(certs["by a view holder"])
    bad("goal, certificate by a view holder", "not_certified", goal_blob, GOAL, goal_id, certificate=goal_certs)
    bad("certificate under another posting key", "not_certified", blob, posting_key=H(other.vk))
    bad("certificate with the posting key of small order", "not_certified", blob, posting_key=H(ed_encode(ED_NEUTRAL)), certificate=H(b"\x01" + bytes(63)))
    junk = content[:40] + b"{"
    bad("first the author", "author_unknown", raw(frame(bytes(64) + junk, 9999)), verification_key=None, certificate=None)
    bad("then the signature", "bad_signature", raw(frame(bytes(64) + junk, 9999)), certificate=None)
    bad("then the certificate", "not_certified", signed(junk), certificate=None)
    bad("then the content", "bad_content", signed(junk))

    bad("not json", "bad_content", signed(content[:40] + b'{"kind":"chat"'))
    bad("json array", "bad_content", signed(content[:40] + b'["kind"]'))
    bad("no kind", "bad_content", signed(content[:40] + b'{"text":"x"}'))
    bad("kind not a string", "bad_content", signed(content[:40] + b'{"kind":1}'))
    bad("bad utf-8", "bad_content", signed(content[:40] + b'{"kind":"\xff"}'))
    bad("byte order mark", "bad_content", signed(content[:40] + b'\xef\xbb\xbf{"kind":"chat"}'))
    bad("lone surrogate", "bad_content", signed(content[:40] + b'{"kind":"chat","text":"\\ud800"}'))
    bad("number beyond a double", "bad_content", signed(content[:40] + b'{"kind":"chat","n":1e999}'))
    bad("integer beyond a double", "bad_content", signed(content[:40] + b'{"kind":"chat","n":1%s}' % (b"0" * 400)))
    bad("not a number", "bad_content", signed(content[:40] + b'{"kind":"chat","n":NaN}'))
    bad("shorter than a head", "bad_content", signed(b'{"kind":"chat"}'))
    bad("nothing but a signature", "bad_content", signed(b""))
    bad("title not a string", "bad_content", signed(b'{"title":5}', TITLE), TITLE)

    def bad_profile(row_name, code, seed=me.seed, **over):
        b = signed(me.profile("x", cert, **over).encode(), PROFILE, seed)
        bad(row_name, code, b, PROFILE)

    bad_profile("profile with another pk", "profile_key_mismatch", pk=b64u(other.pk))
    bad_profile("profile with another vk", "profile_key_mismatch", vk=b64u(other.vk))
    bad_profile("profile with another vk, signed by it", "profile_key_mismatch", other.seed, vk=b64u(other.vk))
    bad_profile("profile with pk and vk exchanged", "profile_key_mismatch", pk=b64u(me.vk), vk=b64u(me.pk))
    bad_profile("profile signed by another", "bad_signature", other.seed)
    bad_profile("profile signed by the posting key", "bad_signature", keys["posting_seed"])
    small = ed_encode(ED_NEUTRAL)
    small_pid = participant_id(sid, me.pk, small)
    small_text = me.profile("x", vk=b64u(small)).encode()
    n = r.bytes(24)
    small_blob = raw(frame(b"\x01" + bytes(63) + small_text, 9999), PROFILE, small_pid)
    bad("profile with a vk of small order", "bad_signature", small_blob, PROFILE, participant=H(small_pid))
    bad_profile("profile pk too short", "bad_content", pk="AAAA")
    bad_profile("profile vk too short", "bad_content", vk="AAAA")
    bad_profile("profile vk missing", "bad_content", vk=None)
    bad_profile("profile vk not base64url", "bad_content", vk=b64u(me.vk) + "=")
    bad_profile("profile name missing", "bad_content", name=None)
    bad_profile("profile certificate too short", "bad_content", cert=b64u(cert[:63]))
    bad("profile certificate not a string", "bad_content", signed(me.profile("x")[:-1].encode() + b',"cert":null}', PROFILE), PROFILE)
    bad("profile not json", "bad_content", signed(b"{", PROFILE), PROFILE)
    return out


def rec_json(rec):
    return {**{k: rec[k] for k in ("seq", "epoch", "class")}, **{k: H(rec[k]) for k in ("sender", "item", "body")}}


def mk(seq, epoch, cls, sender, body, item=NO_ID):
    return {"seq": seq, "epoch": epoch, "class": cls, "sender": sender, "item": item, "body": body}


def v_transcript(r, t):
    sid, s1 = uuid4(r), r.bytes(32)
    ep = {1: epoch_keys(sid, 1, s1)}
    key = ep[1]["content_key"]
    pa, pb, pc = (Party(r, sid) for _ in range(3))
    party = {p.pid: p for p in (pa, pb, pc)}
    a, b, c = pa.pid, pb.pid, pc.pid
    m, x = t["messages"], t["notice"]

    def msg(seq, pid, head, text, epoch=1, k=key, seed=None):
        item = uuid4(r)
        body = seal(k, MESSAGE, sid, epoch, pid, item, message_content(*head, text), r.bytes(24), seed or party[pid].seed)
        return mk(seq, epoch, SEALED, pid, body, item)

    def profile(pid, epoch=1, cert=True, seed=None):
        cert = make_certificate(sid, epoch, pid, ep[epoch]["posting_seed"]) if cert is True else cert
        text = party[pid].profile(t["names"][0], cert).encode()
        return seal(ep[epoch]["content_key"], PROFILE, sid, epoch, pid, NO_ID, text, r.bytes(24), seed or party[pid].seed)

    def joined(seq, pid, blob, epoch=1, capability="full"):
        text = '{"event":"joined","participant_id":"%s","kind":"agent","capability":"%s","sealed_profile":"%s"}'
        return mk(seq, epoch, MEMBER, pid, (text % (uuid_text(pid), capability, b64u(blob))).encode())

    def head(records):
        h, er = chain_start(sid), b""
        for rec in records:
            er = rec["body"] if rec["class"] == EPOCH else er
            h = chain_next(h, er, rec)
        return len(records), h

    out = []

    both_known = [(a, 1, profile(a)), (b, 1, profile(b))]

    def case(name, records, keys=None, checkpoint=None, served=both_known):
        keys = {1: key} if keys is None else keys
        tr, steps = Transcript(sid, checkpoint, served), []
        for rec in records:
            try:
                status, text = tr.accept(rec, keys)
                what = "profile" if rec["class"] == MEMBER else "json"
                steps.append({"status": status, what: text, "chain": H(tr.head[1])})
            except DPError as e:
                steps.append({"error": e.code})
        row = {"name": name, "session": H(sid), "content_keys": {str(e): H(k) for e, k in keys.items()}}
        if checkpoint:
            row["checkpoint"] = {"seq": checkpoint[0], "hash": H(checkpoint[1]), "epoch_record": H(checkpoint[2])}
        row["participants"] = [{"participant": H(p), "epoch": e, "sealed_profile": H(x)} for p, e, x in served]
        row.update(records=[rec_json(rec) for rec in records], expect=steps, head_seq=tr.head[0],
                   head_hash=H(tr.head[1]), confirmed={H(p): n for p, n in sorted(tr.confirmed.items())})
        out.append(row)
        return [s.get("profile") or s.get("status") or s["error"] for s in steps]

    def expect(name, records, want, **kw):
        got = case(name, records, **kw)
        assert got[-len(want):] == want, (name, got, want)

    def notice(seq, text=x, epoch=1):
        return mk(seq, epoch, NOTICE, NO_ID, text.encode())

    r1 = mk(1, 1, EPOCH, a, create_record(sid, s1, a))
    r2 = msg(2, a, head([r1]), m[0])
    r3 = msg(3, b, head([r1, r2]), m[1])
    r4 = notice(4)
    r5 = msg(5, a, head([r1, r2, r3, r4]), m[2])
    five = [r1, r2, r3, r4, r5]
    expect("five records with a system notice", five, ["epoch", "ok", "ok", "notice", "ok"])

    expect("fork: record 2 replaced", [r1, msg(2, a, head([r1]), m[3]), r3, r4, r5], ["fork", "notice", "fork"])
    expect("fork: record 3 dropped and the rest moved up", [r1, r2, notice(3), {**r5, "seq": 4}], ["head_ahead"])
    expect("fork: record 3 replaced by a notice", [r1, r2, notice(3), r4, r5], ["fork"])
    expect("fork: notice text differs", [r1, r2, r3, notice(4, x.replace("budget_spent", "ttl_expired")), r5], ["fork"])
    expect("fork: two records exchanged", [r1, {**r3, "seq": 2}, {**r2, "seq": 3}, r4, r5], ["head_ahead", "ok", "notice", "fork"])
    other_first = mk(1, 1, EPOCH, a, create_record(sid, r.bytes(32), a))
    expect("another first record", [other_first, r2], ["not_certified"])
    expect("fork: another first record", [{**r1, "body": flip_bit(r1["body"], 30)}, r2], ["fork"])

    c4 = msg(4, a, head([r1, r2]), m[3])
    expect("concurrent posts agree", [r1, r2, r3, c4], ["epoch", "ok", "ok", "ok"])
    expect("head older than the sender's own last record", [r1, r2, r3, msg(4, a, head([r1]), m[3])], ["head_regressed"])
    expect("head not yet possible", [r1, r2, msg(3, b, (3, r.bytes(32)), m[1])], ["head_ahead"])
    expect("gap", [r1, r3], ["seq_gap"])
    expect("same number again", [r1, r2, r2], ["seq_gap"])
    expect("replay under a new number", [r1, r2, {**r2, "seq": 3}], ["replay"])
    expect("does not begin with an epoch record", [{**r2, "seq": 1}], ["epoch_order"])
    expect("epoch 0", [{**r2, "seq": 1, "epoch": 0}], ["epoch_order"])
    expect("message attributed to another participant", [r1, {**r2, "sender": b}], ["auth_failed"])
    expect("message under another message id", [r1, {**r2, "item": uuid4(r)}], ["auth_failed"])
    expect("notice with a sender", [r1, {**notice(2), "sender": b}], ["bad_record"])
    expect("message without a sender", [r1, {**r2, "sender": NO_ID}], ["bad_record"])
    expect("message without a message id", [r1, {**r2, "item": NO_ID}], ["bad_record"])
    expect("unknown class", [r1, {**r2, "class": 9}], ["bad_record"])
    expect("epoch record of another session", [{**r1, "body": flip_bit(r1["body"], 3)}], ["epoch_record_malformed"])
    junk = mk(2, 1, SEALED, b, b"\x01" + r.bytes(600), uuid4(r))
    expect("unreadable record stays in the chain", [r1, junk, msg(3, a, head([r1, junk]), m[0])], ["auth_failed", "ok"])
    expect("notice that is not JSON", [r1, notice(2, "The budget is spent.")], ["bad_notice"])
    left = '{"event":"left","participant_id":"%s"}' % uuid_text(b)
    left = mk(2, 1, MEMBER, b, left.encode())
    expect("member event", [r1, left, msg(3, b, head([r1, left]), m[1])], ["member", "ok"])
    expect("member event about another participant", [r1, {**left, "sender": a}], ["bad_member"])
    no_profile = '{"event":"joined","participant_id":"%s","kind":"agent","capability":"full"}' % uuid_text(b)
    expect("joined without a profile", [r1, mk(2, 1, MEMBER, b, no_profile.encode())], ["bad_member"])

    # Who wrote it. Profiles come with the joined events, or from the participants call.
    ja, jb = joined(2, a, both_known[0][2]), joined(3, b, both_known[1][2])
    base = [r1, ja, jb]
    r4a = msg(4, a, head(base), m[0])
    expect("profiles from joined events", base + [r4a, msg(5, b, head(base + [r4a]), m[1])],
           ["full", "full", "ok", "ok"], served=[])
    expect("author without a profile", [r1, ja, msg(3, b, head([r1, ja]), m[1])], ["full", "author_unknown"], served=[])
    expect("profile from the participants call", [r1, ja, msg(3, b, head([r1, ja]), m[1])], ["full", "ok"])
    forged = msg(4, a, (3, r.bytes(32)), m[3], seed=pc.seed)
    expect("insider and plane write as another", base + [forged], ["bad_signature"], served=[])
    late = msg(5, a, head([r1]), m[0])
    expect("what does not open moves no head", base + [forged, late], ["bad_signature", "ok"], served=[])
    jv = joined(4, c, profile(c, cert=None), capability="view")
    expect("view holder and plane", base + [jv, msg(5, c, head(base), m[1])], ["view", "not_certified"], served=[])
    own = make_certificate(sid, 1, c, posting_seed(sid, 1, ep[1]["view_secret"]))
    jv = joined(4, c, profile(c, cert=own))
    expect("view holder, plane and a home-made certificate", base + [jv, msg(5, c, head(base), m[1])],
           ["view", "not_certified"], served=[])
    jv = joined(4, c, profile(c, cert=make_certificate(sid, 1, a, ep[1]["posting_seed"])))
    expect("certificate of another participant", base + [jv, msg(5, c, head(base), m[1])], ["view", "not_certified"], served=[])
    jx = joined(4, c, profile(c, seed=pa.seed))
    expect("profile signed by another", base + [jx, msg(5, c, head(base), m[1])], ["bad_signature", "author_unknown"], served=[])
    jx = joined(4, c, both_known[0][2])
    expect("profile of another participant", base + [jx, msg(5, c, head(base), m[1])], ["auth_failed", "author_unknown"], served=[])
    jc = joined(4, c, profile(c, cert=None), capability="view")
    jd = joined(6, c, profile(c))
    first, second = msg(5, c, head(base), m[1]), msg(7, c, head(base), m[2])
    expect("view holder who returns with a full link", base + [jc, first, jd, second],
           ["view", "not_certified", "full", "ok"], served=[])
    expect("a later profile without a certificate takes nothing away", base + [joined(4, b, profile(b, cert=None)), msg(5, b, head(base), m[1])],
           ["view", "ok"], served=[])
    expect("late joiner without the key of epoch 1", five, ["no_key", "no_key", "notice", "no_key"], keys={})

    # Eviction: a late joiner starts at a checkpoint given by the plane.
    n3, h3 = head([r1, r2, r3])
    expect("checkpoint", [r4, r5], ["notice", "ok"], checkpoint=(n3, h3, r1["body"]))
    expect("checkpoint with a false hash", [r4, r5], ["notice", "fork"], checkpoint=(n3, r.bytes(32), r1["body"]))
    false_er = create_record(sid, s1, b)
    expect("checkpoint with a false epoch record", [r4, r5], ["notice", "fork"], checkpoint=(n3, h3, false_er))
    at = msg(4, b, (n3, h3), m[3])
    expect("head at the checkpoint", [at], ["ok"], checkpoint=(n3, h3, r1["body"]))
    expect("head at a false checkpoint", [at], ["fork"], checkpoint=(n3, r.bytes(32), r1["body"]))
    expect("head before the checkpoint", [c4], ["unchecked"], checkpoint=(n3, h3, r1["body"]))

    expect("checkpoint, profiles evicted and not served", [r4, r5], ["notice", "author_unknown"],
           checkpoint=(n3, h3, r1["body"]), served=[])
    expect("checkpoint with a false posting key", [r4, r5], ["notice", "not_certified"],
           checkpoint=(n3, h3, r1["body"][:86] + pc.vk + r1["body"][118:]))

    # Administrator re-key, then a message in the new epoch and one sealed under the old key.
    s2 = r.bytes(32)
    ep[2] = epoch_keys(sid, 2, s2)
    k2 = ep[2]["content_key"]
    in_two = both_known + [(b, 2, profile(b, 2))]
    r6 = mk(6, 2, EPOCH, NO_ID, make_admin_rekey(sid, 2, s2))
    six = five + [r6]
    r7 = msg(7, b, head(six), m[1], 2, k2)
    both = {1: key, 2: k2}
    expect("administrator re-key", six + [r7], ["epoch", "ok"], keys=both, served=in_two)
    expect("administrator re-key, new link only", six + [r7], ["no_key", "no_key", "notice", "no_key", "epoch", "ok"], keys={2: k2}, served=in_two)
    expect("no profile in the new epoch", six + [r7], ["epoch", "not_certified"], keys=both)
    expect("no profile in the new epoch, new link only", six + [r7], ["epoch", "author_unknown"], keys={2: k2})
    old_cert = joined(7, b, profile(b, 2, make_certificate(sid, 2, b, ep[1]["posting_seed"])), 2)
    expect("certificate by the posting key of the epoch before", six + [old_cert, msg(8, b, head(six), m[1], 2, k2)],
           ["view", "not_certified"], keys=both)
    again = joined(7, b, in_two[2][2], 2)
    expect("return after a re-key", six + [again, msg(8, b, head(six + [again]), m[1], 2, k2)], ["full", "ok"], keys=both, served=[])
    expect("checkpoint after a re-key", [again, msg(8, b, head(six + [again]), m[1], 2, k2)], ["full", "ok"],
           keys={2: k2}, served=[], checkpoint=(*head(six), r6["body"]))
    other = make_admin_rekey(sid, 3, s2)
    expect("epoch record that opens another epoch", five + [mk(6, 2, EPOCH, NO_ID, other)], ["epoch_record_malformed"])
    expect("epoch record under another sender", [{**r1, "sender": b}], ["bad_record"])
    expect("epoch record with an item id", [{**r1, "item": uuid4(r)}], ["bad_record"])
    expect("old key after re-key", six + [msg(7, b, head(six), m[1])], ["epoch_order"], keys=both)
    expect("new key before re-key", five + [{**r7, "seq": 6}], ["epoch_order"], keys=both)
    expect("epoch skipped", five + [mk(6, 3, EPOCH, NO_ID, make_admin_rekey(sid, 3, s2))], ["epoch_order"])
    nb = make_owner_rekey(sid, 1, ep[1]["view_secret"], s2, pc.sk, pc.vk, [], {})
    expect("re-key by a participant who is not the owner", five + [mk(6, 2, EPOCH, c, nb)], ["rekey_not_owner"])
    nb = make_owner_rekey(sid, 2, r.bytes(32), r.bytes(32), pa.sk, pa.vk, [], {})
    expect("no owner after an administrator re-key", six + [mk(7, 3, EPOCH, a, nb)], ["rekey_not_owner"], keys=both)
    return out


def v_rekey(r, t):
    sid, s1, s2 = uuid4(r), r.bytes(32), r.bytes(32)
    old = r.int(2, 7)
    old_view = epoch_keys(sid, old, s1)["view_secret"]
    new = epoch_keys(sid, old + 1, s2)
    ps = [Party(r, sid) for _ in range(4)]
    sks, pks, vks, pids = ([getattr(p, n) for p in ps] for n in ("sk", "pk", "vk", "pid"))
    keep = [(pks[0], vks[0], CAP_FULL), (pks[1], vks[1], CAP_FULL), (pks[2], vks[2], CAP_VIEW)]  # the fourth is removed
    eph = {p: r.bytes(32) for p in pids}
    hn = r.bytes(24)
    body = make_owner_rekey(sid, old, old_view, s2, sks[0], vks[0], keep, eph, hn)
    closed = make_owner_rekey(sid, old, old_view, s2, sks[0], vks[0], keep[:2], eph)
    psk = [rekey_psk(sid, old, old_view, sks[0], p) for p in pks]
    make = {
        "session": H(sid), "old_epoch": old, "old_view_secret": H(old_view), "new_full_secret": H(s2),
        "owner_private_key": H(sks[0]), "owner_verification_key": H(vks[0]),
        "ephemeral_private_keys": {H(p): H(k) for p, k in eph.items() if p != pids[3]},
        "psk": {H(pids[i]): H(psk[i]) for i in range(3)}, "psk_id": H(rekey_psk_id(old)),
    }
    out = {
        "rfc9180_a_2_2_psk": RFC9180_PSK,
        "make": [
            {**make, "keep": [{"public_key": H(p), "verification_key": H(v), "capability": c} for p, v, c in keep], "history_nonce": H(hn), "record": H(body)},
            {**make, "keep": [{"public_key": H(p), "verification_key": H(v), "capability": c} for p, v, c in keep[:2]], "history_nonce": None, "record": H(closed)},
        ],
        "create": [], "admin": [], "open": [], "open_bad": [], "parse_bad": [], "history": [], "secret": [],
    }
    base = dict(session=H(sid), owner=H(pids[0]), owner_public_key=H(pks[0]), owner_verification_key=H(vks[0]), old_epoch=old, old_view_secret=H(old_view))

    def run(p, b, i):
        x = bytes.fromhex
        return open_owner_rekey(b, x(p["session"]), x(p["owner"]), x(p["owner_public_key"]), x(p["owner_verification_key"]),
                                p["old_epoch"], x(p["old_view_secret"]), sks[i], vks[i])

    for i in range(3):
        kind, secret = run(base, body, i)
        assert (kind, secret) == ((FULL, s2) if i < 2 else (VIEW, new["view_secret"]))
        out["open"].append({**base, "name": t["names"][i], "private_key": H(sks[i]), "verification_key": H(vks[i]), "participant": H(pids[i]), "record": H(body), "kind": kind, "secret": H(secret)})

    def bad(name, code, b, i=1, **over):
        p = {**base, **over}
        got = error_of(run, p, b, i)
        assert got == code, (name, got, code)
        out["open_bad"].append({"name": name, **p, "private_key": H(sks[i]), "verification_key": H(vks[i]), "record": H(b), "error": code})

    S = HEADER_LEN + HISTORY_LEN
    at = {p: S + ENTRY_LEN * i for i, p in enumerate(sorted(pids[:3]))}
    i1, i2 = at[pids[1]], at[pids[2]]
    adm = make_admin_rekey(sid, old + 1, s2)
    bad("removed participant", "rekey_removed", body, 3)
    bad("verifier changed", "rekey_auth", flip_bit(body, 30))
    bad("history block changed", "rekey_auth", flip_bit(body, HEADER_LEN + 40))
    bad("sealed secret changed", "rekey_auth", flip_bit(body, i1 + 60))
    bad("encapsulated key changed", "rekey_auth", flip_bit(body, i1 + 20))
    bad("encapsulated key all zero", "rekey_auth", body[: i1 + 17] + bytes(32) + body[i1 + 49 :])
    bad("entry of another participant", "rekey_auth", body[: i1 + 17] + body[i2 + 17 : i2 + 97] + body[i1 + 97 :])
    bad("capability raised", "rekey_auth", body[: i2 + 16] + b"\x01" + body[i2 + 17 :], 2)
    bad("posting key changed", "rekey_auth", flip_bit(body, 90))
    bad("masked opening changed", "rekey_auth", flip_bit(body, 120))
    bad("other old secret", "rekey_auth", body, old_view_secret=H(flip_bit(old_view, 0)))
    bad("owner changed in the header", "rekey_not_owner", body[:150] + pids[3] + body[166:])
    bad("owner key swapped", "rekey_not_owner", body, owner_public_key=H(pks[3]))
    bad("owner verification key swapped", "rekey_not_owner", body, owner_verification_key=H(vks[3]))
    bad("other session", "epoch_record_malformed", body, session=H(flip_bit(sid, 3)))
    bad("epoch not the next", "epoch_order", body, old_epoch=old + 1)
    bad("administrator record", "rekey_not_owner", adm)
    # A removed participant who knows the old secret, working with the plane, imitates the owner.
    hdr = epoch_header(OWNER_REKEY, sid, old + 1, new, pids[0], 0, 1)
    ad = pids[1] + bytes([CAP_FULL])

    def forged(secret, key):
        enc, ct = hpke_seal_psk(pks[1], REKEY_LABEL + hdr, ad, secret, key, rekey_psk_id(old), r.bytes(32))
        return hdr + ad + enc + ct

    bad("forged by a removed participant", "rekey_auth", forged(s2, rekey_psk(sid, old, old_view, sks[3], pks[1])))
    # An owner who gives one participant a different secret.
    bad("secret does not match the verifiers", "verifier_mismatch", forged(r.bytes(32), psk[1]))
    bad("secret of a wrong length", "rekey_auth", hdr + ad + bytes(80))

    def pbad(name, b):
        assert error_of(parse_epoch_record, b) == "epoch_record_malformed", name
        out["parse_bad"].append({"name": name, "record": H(b), "error": "epoch_record_malformed"})

    cr = create_record(sid, s1, pids[0])
    e = [body[S + ENTRY_LEN * i : S + ENTRY_LEN * (i + 1)] for i in range(3)]
    pbad("empty", b"")
    pbad("header cut", body[:168])
    pbad("entry cut", body[:-1])
    pbad("trailing byte", body + b"\0")
    pbad("format byte", b"\x02" + body[1:])
    pbad("unknown type", body[:1] + b"\x03" + body[2:])
    pbad("history flag 2", body[:166] + b"\x02" + body[167:])
    pbad("count too small", body[:167] + u16(2) + body[169:])
    pbad("entries not ascending", body[:S] + e[1] + e[0] + e[2])
    pbad("entry repeated", body[:S] + e[0] + e[0] + e[2])
    pbad("unknown capability", body[: S + 16] + b"\x03" + body[S + 17 :])
    pbad("owner re-key without an owner", body[:150] + NO_ID + body[166:])
    pbad("administrator re-key with an owner", adm[:150] + pids[0] + adm[166:])
    pbad("administrator re-key with entries", adm[:167] + u16(3) + b"".join(e))
    pbad("creation with entries", cr[:167] + u16(3) + b"".join(e))
    pbad("creation at epoch 2", cr[:18] + u32(2) + cr[22:])
    pbad("re-key at epoch 1", adm[:18] + u32(1) + adm[22:])
    pbad("epoch 0", cr[:18] + u32(0) + cr[22:])
    out["create"].append({"session": H(sid), "full_secret": H(s1), "owner": H(pids[0]), "record": H(cr)})
    out["admin"].append({"session": H(sid), "epoch": old + 1, "full_secret": H(s2), "record": H(adm)})

    previous = make_admin_rekey(sid, old, s1)
    false_previous = make_admin_rekey(sid, old, r.bytes(32))

    def history(name, record, prev, key):
        row = {"name": name, "record": H(record), "content_key": H(key), "previous_record": H(prev)}
        try:
            row["view_secret"] = H(open_history(parse_epoch_record(record), key, parse_epoch_record(prev)))
        except DPError as err:
            row["error"] = err.code
        out["history"].append(row)
        return row.get("error")

    assert history("open", body, previous, new["content_key"]) is None
    assert history("closed", closed, previous, new["content_key"]) == "history_closed"
    assert history("changed", flip_bit(body, HEADER_LEN + 40), previous, new["content_key"]) == "auth_failed"
    assert history("other key", body, previous, flip_bit(new["content_key"], 0)) == "auth_failed"
    assert history("secret of another epoch record", body, false_previous, new["content_key"]) == "verifier_mismatch"

    def secret(name, record, kind, s, code):
        try:
            check_secret(parse_epoch_record(record), kind, s)
            got = None
        except DPError as err:
            got = err.code
        assert got == code, name
        out["secret"].append({"name": name, "record": H(record), "kind": kind, "secret": H(s), "error": code})

    secret("full link", adm, FULL, s2, None)
    secret("view link", adm, VIEW, new["view_secret"], None)
    secret("full link of another epoch", adm, FULL, s1, "verifier_mismatch")
    secret("view secret taken for a full one", adm, FULL, new["view_secret"], "verifier_mismatch")
    secret("full secret taken for a view one", adm, VIEW, s2, "verifier_mismatch")

    def with_field(start, value):
        return adm[:start] + value + adm[start + 32 :]

    for what, start in (("full verifier", 22), ("view verifier", 54), ("posting key", 86), ("masked opening", 118)):
        changed = with_field(start, sha256(what.encode()))
        secret(f"{what} changed, full link", changed, FULL, s2, "verifier_mismatch")
        secret(f"{what} changed, view link", changed, VIEW, new["view_secret"], None if start == 22 else "verifier_mismatch")
    # The best a view holder can do with the plane: it knows the opening, and chooses the key.
    mine = with_field(86, ps[3].vk)
    secret("posting key of a view holder, view link", mine, VIEW, new["view_secret"], "verifier_mismatch")
    secret("posting key of a view holder, full link", mine, FULL, s2, "verifier_mismatch")
    return out


def v_files(r, t):
    out = {"good": [], "bad": []}
    for f in t["files"]:
        key = r.bytes(32)
        row = {"key": H(key)}
        if isinstance(f, int):
            fill = r.bytes(32)
            data = (fill * (f // 32 + 1))[:f]
            row.update(repeat=H(fill))
        else:
            data = f
            row.update(data=H(data))
        chunks, digest = seal_file(key, data)
        row.update(size=len(data), digest=H(digest), chunk_lens=[len(c) for c in chunks], chunk_sha256=[H(sha256(c)) for c in chunks])
        if len(data) <= 300:
            row["chunks"] = [H(c) for c in chunks]
        out["good"].append(row)
    key, fill = r.bytes(32), r.bytes(32)
    size = 3 * CHUNK - 500  # three chunks
    data = (fill * (size // 32 + 1))[:size]
    chunks, digest = seal_file(key, data)
    out["bad_source"] = {"key": H(key), "repeat": H(fill), "size": size, "digest": H(digest), "chunk_sha256": [H(sha256(c)) for c in chunks]}

    def bad(name, code, cs, ops, **over):
        p = {"key": key, "size": size, "digest": digest, **over}
        got = error_of(open_file, p["key"], p["size"], p["digest"], cs)
        assert got == code, (name, got, code)
        row = {"name": name, "ops": ops, "error": code}
        row.update({k: (H(x) if isinstance(x, bytes) else x) for k, x in over.items()})
        out["bad"].append(row)

    c = chunks
    bad("chunk changed", "attach_auth", [c[0], flip_bit(c[1], 100), c[2]], [["flip", 1, 100]])
    bad("chunks exchanged", "attach_auth", [c[1], c[0], c[2]], [["swap", 0, 1]])
    bad("last chunk missing", "attach_size", c[:2], [["drop", 2]])
    bad("cut and relabelled shorter", "attach_auth", c[:2], [["drop", 2]], size=2 * CHUNK)
    bad("chunk repeated", "attach_size", [c[0]] + c, [["repeat", 0]])
    bad("last chunk cut", "attach_size", [c[0], c[1], c[2][:-1]], [["cut", 2, 1]])
    bad("other key", "attach_auth", c, [], key=flip_bit(key, 0))
    bad("size understated within the bucket", "bad_padding", c, [], size=size - 1)
    bad("other digest", "attach_digest", c, [], digest=flip_bit(digest, 0))
    bad("size over the limit", "too_large", c, [], size=FILE_MAX + 1)
    return out


def build(seed, texts):
    r = Rng(seed)
    v = {"spec": "DevPilot session cryptography, version 1 (crypto.md). Byte strings are hex."}
    for name, f in (("encoding", v_encoding), ("link", v_link), ("keys", v_keys), ("padding", v_padding),
                    ("signature", v_signature), ("sealed", v_sealed), ("transcript", v_transcript), ("rekey", v_rekey),
                    ("attachments", v_files)):
        v[name] = f(r, texts)
    return v


def write(v, path):
    pathlib.Path(path).write_text(json.dumps(v, indent=1, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent
    out = sys.argv[1] if len(sys.argv) > 1 else here.parents[2] / "seal" / "vectors" / "vectors.json"
    write(build("devpilot-session public test vectors 1", PUBLIC_TEXTS), out)
    print("wrote", out)
