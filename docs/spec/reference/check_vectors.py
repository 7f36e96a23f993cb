"""Re-verifies a vectors file from its contents alone.

usage: check_vectors.py [FILE]     (default seal/vectors/vectors.json of this repository)

Every sealed byte string is also opened with a second implementation of
XChaCha20-Poly1305 (pycryptodome) when that package is installed, and every good
signature is also verified by OpenSSL.
"""

import json
import pathlib
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from devpilot_ref import *  # noqa: F401,F403

try:
    from Crypto.Cipher import ChaCha20_Poly1305 as Second
except ImportError:
    Second = None

def X(h):
    return None if h is None else bytes.fromhex(h)


COUNT = {}
FAILED = []


def check(group, name, got, want):
    COUNT[group] = COUNT.get(group, 0) + 1
    if got != want:
        FAILED.append((group, name, got, want))


def outcome(f, *a):
    """('ok', value) or ('error', code)"""
    try:
        return "ok", f(*a)
    except DPError as e:
        return "error", e.code


def second_open(key, nonce, ad, ct):
    c = Second.new(key=key, nonce=nonce)
    c.update(ad)
    return c.decrypt_and_verify(ct[:-16], ct[-16:])


def openssl_verify(vk, signature, message):
    try:
        Ed25519PublicKey.from_public_bytes(vk).verify(signature, message)
        return True
    except InvalidSignature:
        return False


def encoding(v):
    for r in v["base32"]:
        check("encoding", r, (b32(X(r["hex"])), unb32(r["text"], len(r["hex"]) // 2)), (r["text"], X(r["hex"])))
    for r in v["base64url"]:
        check("encoding", r, (b64u(X(r["hex"])), unb64u(r["text"])), (r["text"], X(r["hex"])))
    for r in v["uuid"]:
        check("encoding", r, (uuid_text(X(r["hex"])), un_uuid(r["text"])), (r["text"], X(r["hex"])))
    for t in v["base64url_bad"]:
        check("encoding", t, outcome(unb64u, t), ("error", "bad_encoding"))
    for t in v["uuid_bad"]:
        check("encoding", t, outcome(un_uuid, t), ("error", "bad_encoding"))


def link(v):
    for r in v["ok"]:
        want = (r["origin"], r["kind"], X(r["session"]), r["epoch"], X(r["secret"]))
        check("link ok", r["name"], outcome(parse_link, r["text"]), ("ok", want))
    for r in v["bad"]:
        text = r["text"] + " " * r.get("append_spaces", 0)
        check("link bad", r["name"], outcome(parse_link, text), ("error", r["error"]))
    for r in v["format"]:
        got = format_link(r["origin"], r["kind"], X(r["session"]), r["epoch"], X(r["secret"]))
        check("link format", r["text"], got, r["text"])
    for r in v["redact"]:
        check("link redact", r["text"], redact(r["text"]), r["out"])


def keys(v):
    for r in v["epoch"]:
        sid, e, s = X(r["session"]), r["epoch"], X(r["full_secret"])
        k = epoch_keys(sid, e, s)
        for n, b in k.items():
            check("keys", n, b.hex(), r[n])
        check("keys", "salt", (sid + u32(e)).hex(), r["salt"])
        check("keys", "full check", link_check(FULL, sid, e, s).hex(), r["full_link_check"])
        check("keys", "view check", link_check(VIEW, sid, e, k["view_secret"]).hex(), r["view_link_check"])
        check("keys", "start", chain_start(sid).hex(), r["transcript_start"])
    for r in v["participant"]:
        sid, sk = X(r["session"]), X(r["private_key"])
        pid = participant_id(sid, x25519_public(sk), verification_key(X(r["signing_seed"])))
        check("keys", "public", x25519_public(sk).hex(), r["public_key"])
        check("keys", "verification", verification_key(X(r["signing_seed"])).hex(), r["verification_key"])
        check("keys", "certificate text", certificate_text(sid, r["epoch"], pid).hex(), r["certificate_text"])
        cert = make_certificate(sid, r["epoch"], pid, X(r["posting_seed"]))
        check("keys", "certificate", cert.hex(), r["certificate"])
        check("keys", "certified", certified(sid, r["epoch"], pid, verification_key(X(r["posting_seed"])), cert), True)
        check("keys", "participant", (pid.hex(), uuid_text(pid)), (r["participant"], r["participant_text"]))
        rj = rejoin_secret(sid, sk)
        check("keys", "rejoin", (rj.hex(), sha256(rj).hex()), (r["rejoin"], r["rejoin_verifier"]))


def padding(v):
    for r in v:
        check("padding", r["len"], pad_len(r["len"]), r["padded"])


def signature(v):
    for r in v:
        args = X(r["verification_key"]), X(r["signature"]), X(r["message"])
        check("signature", r["name"], verify(*args), r["valid"])
        if r["valid"]:
            check("signature", r["name"] + " openssl", openssl_verify(*args), True)


def open_any(r, blob):
    key, sid, e, pid, item = X(r["content_key"]), X(r["session"]), r["epoch"], X(r["participant"]), X(r["item"])
    posting = X(r["posting_key"])
    if r["kind"] == PROFILE:
        return open_profile(key, sid, e, pid, blob, posting)
    author = X(r["verification_key"]), certified(sid, e, pid, posting, X(r["certificate"]))
    if r["kind"] == MESSAGE:
        return open_message(key, sid, e, pid, item, blob, author)
    if r["kind"] == TITLE:
        return open_title(key, sid, e, pid, blob, author)
    return open_goal(key, sid, e, pid, item, blob, author)


def sealed(v):
    for r in v["good"]:
        key, sid, e, pid, item = X(r["content_key"]), X(r["session"]), r["epoch"], X(r["participant"]), X(r["item"])
        blob, k, js, sig = X(r["blob"]), r["kind"], r["json"], X(r["signature"])
        rest = message_content(r["head_seq"], X(r["head_hash"]), js) if k == MESSAGE else js.encode()
        check("sealed", r["name"] + " aad", aad(k, sid, e, pid, item).hex(), r["aad"])
        check("sealed", r["name"] + " seal", seal(key, k, sid, e, pid, item, rest, X(r["nonce"]), X(r["signing_seed"])), blob)
        check("sealed", r["name"] + " openssl", openssl_verify(X(r["verification_key"]), sig, signed_text(X(r["aad"]), rest)), True)
        if k == MESSAGE:
            want = r["head_seq"], X(r["head_hash"]), js
        elif k == PROFILE:
            want = json.loads(js)["name"], X(r["public_key"]), X(r["verification_key"]), r["may_write"]
        else:
            want = json.loads(js)["title" if k == TITLE else "goal"]
        check("sealed", r["name"] + " open", outcome(open_any, r, blob), ("ok", want))
        if Second:
            p = second_open(key, blob[1:25], X(r["aad"]), blob[25:])
            check("sealed", r["name"] + " second", unframe(p), sig + rest)
    for r in v["bad"]:
        b = X(r["blob"]) + bytes(r.get("append_zeros", 0))
        check("sealed bad", r["name"], outcome(open_any, r, b), ("error", r["error"]))


def transcript(v):
    for c in v:
        cp = c.get("checkpoint")
        cp = cp and (cp["seq"], X(cp["hash"]), X(cp["epoch_record"]))
        served = [(X(p["participant"]), p["epoch"], X(p["sealed_profile"])) for p in c["participants"]]
        tr = Transcript(X(c["session"]), cp, served)
        ks = {int(e): X(k) for e, k in c["content_keys"].items()}
        for rec, want in zip(c["records"], c["expect"], strict=True):
            rec = {**rec, **{k: X(rec[k]) for k in ("sender", "item", "body")}}
            kind, got = outcome(tr.accept, rec, ks)
            if kind == "error":
                check("transcript", c["name"], {"error": got}, want)
            else:
                what = "profile" if rec["class"] == MEMBER else "json"
                check("transcript", c["name"], {"status": got[0], what: got[1], "chain": tr.head[1].hex()}, want)
        check("transcript", c["name"], (tr.head[0], tr.head[1].hex()), (c["head_seq"], c["head_hash"]))
        check("transcript", c["name"], {p.hex(): n for p, n in tr.confirmed.items()}, c["confirmed"])


def rekey(v):
    h = {k: X(x) for k, x in v["rfc9180_a_2_2_psk"].items()}
    got = hpke_seal_psk(h["pkRm"], h["info"], h["aad"], h["pt"], h["psk"], h["psk_id"], h["skEm"])
    check("rekey", "rfc9180 seal", got, (h["enc"], h["ct"]))
    got = hpke_open_psk(h["skRm"], h["enc"], h["info"], h["aad"], h["ct"], h["psk"], h["psk_id"])
    check("rekey", "rfc9180 open", got, h["pt"])
    for m in v["make"]:
        keep = [(X(k["public_key"]), X(k["verification_key"]), k["capability"]) for k in m["keep"]]
        eph = {X(p): X(k) for p, k in m["ephemeral_private_keys"].items()}
        nonce = m["history_nonce"] and X(m["history_nonce"])
        got = make_owner_rekey(X(m["session"]), m["old_epoch"], X(m["old_view_secret"]), X(m["new_full_secret"]),
                               X(m["owner_private_key"]), X(m["owner_verification_key"]), keep, eph, nonce)
        check("rekey", "make", got.hex(), m["record"])
        check("rekey", "psk_id", rekey_psk_id(m["old_epoch"]).hex(), m["psk_id"])
        for pk, vk, _ in keep:
            pid = participant_id(X(m["session"]), pk, vk).hex()
            psk = rekey_psk(X(m["session"]), m["old_epoch"], X(m["old_view_secret"]), X(m["owner_private_key"]), pk)
            check("rekey", "psk", psk.hex(), m["psk"][pid])
    for r in v["create"]:
        check("rekey", "create", create_record(X(r["session"]), X(r["full_secret"]), X(r["owner"])).hex(), r["record"])
    for r in v["admin"]:
        check("rekey", "admin", make_admin_rekey(X(r["session"]), r["epoch"], X(r["full_secret"])).hex(), r["record"])
    for r in v["open"] + v["open_bad"]:
        got = outcome(open_owner_rekey, X(r["record"]), X(r["session"]), X(r["owner"]), X(r["owner_public_key"]),
                      X(r["owner_verification_key"]), r["old_epoch"], X(r["old_view_secret"]), X(r["private_key"]),
                      X(r["verification_key"]))
        want = ("error", r["error"]) if "error" in r else ("ok", (r["kind"], X(r["secret"])))
        check("rekey", r["name"], got, want)
    for r in v["parse_bad"]:
        check("rekey", r["name"], outcome(parse_epoch_record, X(r["record"])), ("error", r["error"]))
    for r in v["history"]:
        got = outcome(open_history, parse_epoch_record(X(r["record"])), X(r["content_key"]), parse_epoch_record(X(r["previous_record"])))
        check("rekey", r["name"], got, ("error", r["error"]) if "error" in r else ("ok", X(r["view_secret"])))
    for r in v["secret"]:
        got = outcome(check_secret, parse_epoch_record(X(r["record"])), r["kind"], X(r["secret"]))
        check("rekey", r["name"], got, ("error", r["error"]) if r["error"] else ("ok", None))


def attachments(v):
    def data_of(r):
        if "data" in r:
            return X(r["data"])
        fill = X(r["repeat"])
        return (fill * (r["size"] // len(fill) + 1))[: r["size"]]

    for r in v["good"]:
        key, data = X(r["key"]), data_of(r)
        chunks, digest = seal_file(key, data)
        check("attachments", "digest", digest.hex(), r["digest"])
        check("attachments", "lengths", [len(c) for c in chunks], r["chunk_lens"])
        check("attachments", "chunks", [sha256(c).hex() for c in chunks], r["chunk_sha256"])
        if "chunks" in r:
            check("attachments", "bytes", [c.hex() for c in chunks], r["chunks"])
        check("attachments", "open", open_file(key, len(data), digest, chunks), data)
        if Second:
            p = b"".join(second_open(key, chunk_nonce(i, i == len(chunks) - 1), b"", c) for i, c in enumerate(chunks))
            check("attachments", "second", p[: len(data)], data)
    s = v["bad_source"]
    source, digest = seal_file(X(s["key"]), data_of(s))
    check("attachments", "source", (digest.hex(), [sha256(c).hex() for c in source]), (s["digest"], s["chunk_sha256"]))
    for r in v["bad"]:
        c = list(source)
        for op, *a in r["ops"]:
            if op == "flip":
                c[a[0]] = c[a[0]][: a[1]] + bytes([c[a[0]][a[1]] ^ 1]) + c[a[0]][a[1] + 1 :]
            elif op == "swap":
                c[a[0]], c[a[1]] = c[a[1]], c[a[0]]
            elif op == "drop":
                del c[a[0]]
            elif op == "repeat":
                c.insert(a[0], c[a[0]])
            elif op == "cut":
                c[a[0]] = c[a[0]][: -a[1]]
        key, dig = X(r.get("key", s["key"])), X(r.get("digest", s["digest"]))
        check("attachments", r["name"], outcome(open_file, key, r.get("size", s["size"]), dig, c), ("error", r["error"]))


def main():
    here = pathlib.Path(__file__).resolve().parent
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parents[2] / "seal" / "vectors" / "vectors.json"
    v = json.loads(path.read_text())
    for name in ("encoding", "link", "keys", "padding", "signature", "sealed", "transcript", "rekey", "attachments"):
        globals()[name](v[name])
    for group, n in COUNT.items():
        print(f"{group:14} {n:4} checks")
    for f in FAILED[:20]:
        print("FAILED", *f)
    print("second XChaCha20-Poly1305:", "yes" if Second else "not installed")
    print(path.name, "FAILED" if FAILED else "ok", sum(COUNT.values()), "checks,", len(FAILED), "failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
