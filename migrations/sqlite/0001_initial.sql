-- Columns are TEXT, INTEGER and BLOB alone: ids as 16 bytes, times as milliseconds UTC, flags as nullable
-- times. The same tables and columns stand in ../postgres; a test compares them.

-- Organisations and their people --------------------------------------------------------------------

CREATE TABLE orgs (
    org_id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    -- The policy; null: the plane's own limit.
    max_budget INTEGER,
    max_ttl_s INTEGER,
    retention_s INTEGER,
    max_sessions INTEGER,
    view_links_refused_at INTEGER,
    default_door TEXT
) STRICT;

CREATE TABLE users (
    user_id BLOB NOT NULL PRIMARY KEY,
    org_id BLOB NOT NULL REFERENCES orgs (org_id),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    UNIQUE (org_id, name)
) STRICT;

CREATE TABLE machine_tokens (
    token_hash BLOB NOT NULL PRIMARY KEY,
    token_id BLOB NOT NULL UNIQUE,
    org_id BLOB NOT NULL REFERENCES orgs (org_id),
    user_id BLOB NOT NULL REFERENCES users (user_id),
    name TEXT,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX machine_tokens_of_org ON machine_tokens (org_id, created_at);

CREATE TABLE console_tokens (
    token_hash BLOB NOT NULL PRIMARY KEY,
    org_id BLOB NOT NULL REFERENCES orgs (org_id),
    user_id BLOB NOT NULL REFERENCES users (user_id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE login_links (
    link_hash BLOB NOT NULL PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (user_id),
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;

CREATE TABLE connect_requests (
    device_hash BLOB NOT NULL PRIMARY KEY,
    user_code_hash BLOB NOT NULL UNIQUE,
    machine_name TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    polled_at INTEGER,
    approver BLOB REFERENCES users (user_id),
    approved_at INTEGER,
    denied_at INTEGER,
    spent_at INTEGER
) STRICT;

CREATE TABLE audit (
    org_id BLOB NOT NULL,
    at INTEGER NOT NULL,
    entry_id BLOB NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    session_id BLOB,
    subject TEXT,
    PRIMARY KEY (org_id, at, entry_id)
) STRICT;

-- Sessions and their transcripts: every key starts with session_id, so that these tables can be split by it.
-- They hold no foreign keys: whole sessions go at once, and an append pays for no look-up it does not need.

CREATE TABLE sessions (
    session_id BLOB NOT NULL PRIMARY KEY,
    org_id BLOB NOT NULL,
    owner_user BLOB NOT NULL,
    owner_participant BLOB,
    label TEXT,
    epoch INTEGER NOT NULL,
    full_verifier BLOB NOT NULL,
    view_verifier BLOB NOT NULL,
    -- Moves with every change of this row: what was read under a version holds while it stands.
    version INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    min_seq INTEGER NOT NULL,
    -- The transcript hash up to min_seq - 1.
    carried_hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- The mode machine's state, with the last proposal ids.
    mode TEXT NOT NULL,
    door_state TEXT NOT NULL,
    door_joins_left INTEGER,
    door_until INTEGER,
    knocking INTEGER NOT NULL,
    -- When the first of the knocks lapses.
    knocks_due INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER,
    end_cause TEXT,
    -- When the rows of an ended session go.
    purge_at INTEGER,
    -- When the sweeper must look at this session next. Never later than anything that comes due.
    look_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_to_look_at ON sessions (look_at);
CREATE INDEX sessions_of_org ON sessions (org_id, created_at);

CREATE TABLE titles (
    session_id BLOB NOT NULL PRIMARY KEY,
    participant_id BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    sealed BLOB NOT NULL
) STRICT;

CREATE TABLE epoch_records (
    session_id BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (session_id, epoch)
) STRICT;

CREATE TABLE records (
    session_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    class INTEGER NOT NULL,
    sender BLOB,
    item_id BLOB,
    signal TEXT,
    size INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session_id, seq)
) STRICT;

CREATE TABLE message_ids (
    session_id BLOB NOT NULL,
    message_id BLOB NOT NULL,
    author BLOB NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (session_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE participants (
    session_id BLOB NOT NULL,
    participant_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    capability TEXT NOT NULL,
    rejoin_verifier BLOB NOT NULL,
    joined_seq INTEGER NOT NULL,
    joined_epoch INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    left_at INTEGER,
    -- The epoch whose record did not list it any more.
    removed_epoch INTEGER,
    last_seen_at INTEGER NOT NULL,
    listening_until INTEGER,
    fetched_seq INTEGER NOT NULL,
    PRIMARY KEY (session_id, participant_id)
) STRICT;

CREATE TABLE profiles (
    session_id BLOB NOT NULL,
    participant_id BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (session_id, participant_id, epoch)
) STRICT;

CREATE TABLE knocks (
    session_id BLOB NOT NULL,
    participant_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    capability TEXT NOT NULL,
    rejoin_verifier BLOB NOT NULL,
    sealed_profile BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    since INTEGER NOT NULL,
    -- When it lapses: from the last repeat, or from its admission.
    lapses_at INTEGER NOT NULL,
    admitted_at INTEGER,
    refused_at INTEGER,
    PRIMARY KEY (session_id, participant_id)
) STRICT;

CREATE TABLE tokens (
    session_id BLOB NOT NULL,
    token_hash BLOB NOT NULL,
    participant_id BLOB NOT NULL,
    capability TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, token_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_of_participant ON tokens (session_id, participant_id);

CREATE TABLE chunks (
    session_id BLOB NOT NULL,
    attachment_id BLOB NOT NULL,
    chunk_index INTEGER NOT NULL,
    digest BLOB NOT NULL,
    uploader BLOB NOT NULL,
    -- The record that names it; null: not tied yet.
    seq INTEGER,
    at INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (session_id, attachment_id, chunk_index)
) STRICT;

CREATE TABLE tombstones (
    session_id BLOB NOT NULL PRIMARY KEY,
    org_id BLOB NOT NULL,
    owner_user BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    full_verifier BLOB NOT NULL,
    view_verifier BLOB NOT NULL,
    at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstones_until ON tombstones (until);
