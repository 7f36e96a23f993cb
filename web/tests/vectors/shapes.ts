// The shapes of vectors.json (crypto.md section 18). Byte strings are hex.

export interface Vectors {
  readonly encoding: {
    readonly base32: readonly Pair[];
    readonly base64url: readonly Pair[];
    readonly base64url_bad: readonly string[];
    readonly uuid: readonly Pair[];
    readonly uuid_bad: readonly string[];
  };
  readonly link: {
    readonly ok: readonly (LinkFields & { readonly name: string })[];
    readonly bad: readonly {
      readonly name: string;
      readonly error: string;
      readonly text: string;
      readonly append_spaces?: number;
    }[];
    readonly format: readonly LinkFields[];
    readonly redact: readonly { readonly text: string; readonly out: string }[];
  };
  readonly keys: { readonly epoch: readonly EpochCase[]; readonly participant: readonly ParticipantCase[] };
  readonly padding: readonly { readonly len: number; readonly padded: number }[];
  readonly signature: readonly SignatureCase[];
  readonly sealed: { readonly good: readonly GoodCase[]; readonly bad: readonly BadCase[] };
  readonly transcript: readonly TranscriptCase[];
  readonly rekey: RekeyGroup;
  readonly attachments: {
    readonly good: readonly FileCase[];
    readonly bad: readonly {
      readonly name: string;
      readonly ops: readonly (readonly [string, number, number?])[];
      readonly error: string;
      readonly key?: string;
      readonly size?: number;
      readonly digest?: string;
    }[];
    readonly bad_source: FileCase;
  };
}

interface Pair {
  readonly hex: string;
  readonly text: string;
}

interface LinkFields {
  readonly text: string;
  readonly origin: string;
  readonly kind: string;
  readonly session: string;
  readonly epoch: number;
  readonly secret: string;
}

export interface EpochCase {
  readonly session: string;
  readonly epoch: number;
  readonly full_secret: string;
  readonly salt: string;
  readonly posting_seed: string;
  readonly posting_key: string;
  readonly opening: string;
  readonly view_secret: string;
  readonly masked_opening: string;
  readonly content_key: string;
  readonly full_proof: string;
  readonly view_proof: string;
  readonly full_verifier: string;
  readonly view_verifier: string;
  readonly full_link_check: string;
  readonly view_link_check: string;
  readonly transcript_start: string;
}

export interface ParticipantCase {
  readonly session: string;
  readonly private_key: string;
  readonly public_key: string;
  readonly signing_seed: string;
  readonly verification_key: string;
  readonly participant: string;
  readonly participant_text: string;
  readonly rejoin: string;
  readonly rejoin_verifier: string;
  readonly epoch: number;
  readonly posting_seed: string;
  readonly certificate_text: string;
  readonly certificate: string;
}

export interface SignatureCase {
  readonly name: string;
  readonly verification_key: string;
  readonly message: string;
  readonly signature: string;
  readonly valid: boolean;
}

export interface SealedCase {
  readonly name: string;
  readonly kind: number;
  readonly content_key: string;
  readonly session: string;
  readonly epoch: number;
  readonly participant: string;
  readonly item: string;
  readonly posting_key: string;
  readonly verification_key?: string | null;
  readonly certificate?: string | null;
  readonly blob: string;
}

export interface GoodCase extends SealedCase {
  readonly nonce: string;
  readonly signing_seed: string;
  readonly head_seq?: number;
  readonly head_hash?: string;
  readonly json: string;
  readonly aad: string;
  readonly signature: string;
  readonly public_key?: string;
  readonly may_write?: boolean;
}

export interface BadCase extends SealedCase {
  readonly error: string;
  readonly append_zeros?: number;
}

export interface TranscriptCase {
  readonly name: string;
  readonly session: string;
  readonly content_keys: Readonly<Record<string, string>>;
  readonly participants: readonly {
    readonly participant: string;
    readonly epoch: number;
    readonly sealed_profile: string;
  }[];
  readonly checkpoint?: { readonly seq: number; readonly hash: string; readonly epoch_record: string };
  readonly records: readonly {
    readonly seq: number;
    readonly epoch: number;
    readonly class: number;
    readonly sender: string;
    readonly item: string;
    readonly body: string;
  }[];
  readonly expect: readonly Expected[];
  readonly head_seq: number;
  readonly head_hash: string;
  readonly confirmed: Readonly<Record<string, number>>;
}

/** Either an error, or a status with the chain value after the record. */
export type Expected =
  | { readonly error: string }
  | {
      readonly status: string;
      readonly chain: string;
      readonly json?: string | null;
      readonly profile?: string | null;
    };

export interface OpenCase {
  readonly name: string;
  readonly session: string;
  readonly owner: string;
  readonly owner_public_key: string;
  readonly owner_verification_key: string;
  readonly old_epoch: number;
  readonly old_view_secret: string;
  readonly private_key: string;
  readonly verification_key: string;
  readonly record: string;
  readonly kind?: string;
  readonly secret?: string;
  readonly error?: string;
}

export interface RekeyGroup {
  readonly rfc9180_a_2_2_psk: Readonly<
    Record<"info" | "skRm" | "skEm" | "pkRm" | "psk" | "psk_id" | "enc" | "aad" | "pt" | "ct", string>
  >;
  readonly make: readonly {
    readonly session: string;
    readonly old_epoch: number;
    readonly old_view_secret: string;
    readonly new_full_secret: string;
    readonly owner_private_key: string;
    readonly owner_verification_key: string;
    readonly ephemeral_private_keys: Readonly<Record<string, string>>;
    readonly psk: Readonly<Record<string, string>>;
    readonly psk_id: string;
    readonly keep: readonly {
      readonly public_key: string;
      readonly verification_key: string;
      readonly capability: number;
    }[];
    readonly history_nonce: string | null;
    readonly record: string;
  }[];
  readonly create: readonly {
    readonly session: string;
    readonly full_secret: string;
    readonly owner: string;
    readonly record: string;
  }[];
  readonly admin: readonly {
    readonly session: string;
    readonly epoch: number;
    readonly full_secret: string;
    readonly record: string;
  }[];
  readonly open: readonly OpenCase[];
  readonly open_bad: readonly OpenCase[];
  readonly parse_bad: readonly { readonly name: string; readonly record: string; readonly error: string }[];
  readonly history: readonly {
    readonly name: string;
    readonly record: string;
    readonly content_key: string;
    readonly previous_record: string;
    readonly view_secret?: string;
    readonly error?: string;
  }[];
  readonly secret: readonly {
    readonly name: string;
    readonly record: string;
    readonly kind: string;
    readonly secret: string;
    readonly error: string | null;
  }[];
}

export interface FileCase {
  readonly key: string;
  readonly data?: string;
  readonly repeat?: string;
  readonly size: number;
  readonly digest: string;
  readonly chunk_lens?: readonly number[];
  readonly chunk_sha256: readonly string[];
  readonly chunks?: readonly string[];
}
